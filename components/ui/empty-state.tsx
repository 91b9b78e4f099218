import type { ReactNode } from "react";
import { cn } from "./class-names";

/** Shown instead of an empty list: what it is for, and the first step. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  className,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
}) {
  return (
    <div
      data-slot="empty-state"
      className={cn(
        "grid justify-items-center gap-4 rounded-md border border-dashed border-line-strong/60 px-6 py-12 text-center",
        className,
      )}
    >
      {icon ? <div className="text-ink-faint [&_svg]:size-6">{icon}</div> : null}
      <div className="grid max-w-md gap-1">
        <h2 className="text-lg font-medium">{title}</h2>
        {children ? <div className="text-base text-ink-muted">{children}</div> : null}
      </div>
      {action}
    </div>
  );
}
