import { type ComponentProps, type ReactNode, useId } from "react";
import { cn } from "./class-names";

/** A page section: title and description on the left, content on the right. */
export function Section({
  title,
  text,
  status,
  className,
  children,
  ...rest
}: Omit<ComponentProps<"section">, "title"> & {
  title: string;
  text: string;
  /** Beside the title, e.g. a badge. */
  status?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      {...rest}
      aria-labelledby={id}
      className={cn(
        "grid gap-x-12 gap-y-4 border-t py-8 first:border-t-0 first:pt-2 md:grid-cols-[15rem_minmax(0,1fr)]",
        className,
      )}
    >
      <div className="grid content-start gap-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 id={id} className="text-lg">
            {title}
          </h2>
          {status}
        </div>
        <p className="text-ink-muted">{text}</p>
      </div>
      <div className="min-w-0 max-w-2xl">{children}</div>
    </section>
  );
}
