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

/** Placeholder of a loading list: `count` rows with the given content. */
export function SkeletonRows({ count = 3, ...row }: ComponentProps<"div"> & { count?: number }) {
  return (
    <div aria-busy="true" className="divide-y rounded-md border bg-panel">
      {[...Array(count).keys()].map((key) => (
        <div key={key} {...row} />
      ))}
    </div>
  );
}
