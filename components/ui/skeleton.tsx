import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** The place of what is loading, in its size, so nothing jumps when it comes. */
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
