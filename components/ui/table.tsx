import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** On narrow screens show a list instead: wrap the table in `hidden md:block`. */
export function Table(props: ComponentProps<"table">) {
  return (
    <div data-slot="table" className="relative w-full overflow-x-auto rounded-md border bg-panel">
      <table className="w-full text-base" {...props} />
    </div>
  );
}

export function TableHeader(props: ComponentProps<"thead">) {
  return <thead className="border-b text-xs text-ink-faint" {...props} />;
}

export function TableBody(props: ComponentProps<"tbody">) {
  return <tbody className="divide-y" {...props} />;
}

export function TableRow(props: ComponentProps<"tr">) {
  return <tr className="transition-colors hover:bg-sunken/60 data-selected:bg-signal-soft" {...props} />;
}

export function TableHead({ className, ...props }: ComponentProps<"th">) {
  return (
    <th
      scope="col"
      className={cn("h-9 whitespace-nowrap px-4 text-left align-middle font-normal", className)}
      {...props}
    />
  );
}

export function TableCell({ className, ...props }: ComponentProps<"td">) {
  return <td className={cn("h-12 px-4 py-2 align-middle", className)} {...props} />;
}
