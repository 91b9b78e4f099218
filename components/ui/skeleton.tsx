import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** Placeholder of loading content; it has the content's size, so that nothing moves when it arrives. */
export function Skeleton({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      data-slot="skeleton"
      aria-hidden="true"
      className={cn("animate-pulse rounded-sm bg-hover motion-reduce:animate-none", className)}
      {...props}
    />
  );
}
