import { Skeleton } from "../ui/skeleton";

/** Placeholder for the endpoint list. */
export function ReferenceSkeleton() {
  return (
    <div aria-busy="true" className="grid min-h-dvh content-start gap-3">
      <Skeleton className="h-9 w-full max-w-sm" />
      {[0, 1, 2, 3, 4, 5, 6, 7].map((row) => (
        <Skeleton key={row} className="h-11" />
      ))}
    </div>
  );
}
