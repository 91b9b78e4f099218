import { cn } from "../ui/class-names";
import { hueOf } from "./speech-draft";

/** A dot in a speaker's colour, beside the name. */
export function HueDot({ index, className }: { index: number; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cn("inline-block size-2 shrink-0 rounded-full", className)}
      style={{ backgroundColor: hueOf(index) }}
    />
  );
}
