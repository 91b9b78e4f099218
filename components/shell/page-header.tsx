import type { ReactNode } from "react";

/** A page's heading, description and main action. */
export function PageHeader({
  title,
  description,
  action,
}: {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-4">
      <div className="grid max-w-prose gap-1">
        <h1 className="text-xl">{title}</h1>
        {description ? <p className="text-base text-balance text-ink-muted">{description}</p> : null}
      </div>
      {action}
    </header>
  );
}
