import { type ReactNode, useId } from "react";

/** A titled step of the channel form. */
export function FormStep({
  title,
  text,
  children,
}: {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-4 border-t pt-6 first:border-t-0 first:pt-0">
      <div className="grid gap-0.5">
        <h2 id={id} className="text-lg">
          {title}
        </h2>
        {text ? <p className="text-ink-muted">{text}</p> : null}
      </div>
      {children}
    </section>
  );
}
