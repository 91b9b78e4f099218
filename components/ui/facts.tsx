import { Children, type ReactNode } from "react";
import { cn } from "./class-names";

/**
 * Short facts in a row with "·" between them. No line begins or ends with a separator where they wrap: those at the
 * beginning of a line lie in a margin that is cut off.
 */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <span className={cn("block min-w-0 overflow-x-clip", className)}>
      <span className="-ml-3.5 flex flex-wrap">
        {Children.map(Children.toArray(children), (fact) => (
          <span className="relative min-w-0 pl-3.5 before:absolute before:left-0 before:w-3.5 before:text-center before:content-['·'/'']">
            {fact}
          </span>
        ))}
      </span>
    </span>
  );
}
