import type { ComponentProps } from "react";
import { Input } from "../ui/input";

/** A short input followed by its unit, which is also part of the input's accessible description. */
export function UnitInput({
  id,
  unit,
  "aria-describedby": describedBy,
  ...input
}: ComponentProps<typeof Input> & { id: string; unit: string }) {
  const unitId = `${id}-unit`;
  return (
    <span className="flex items-center gap-2">
      <Input
        {...input}
        id={id}
        aria-describedby={describedBy ? `${unitId} ${describedBy}` : unitId}
        autoComplete="off"
      />
      <span id={unitId} className="text-sm text-ink-muted">
        {unit}
      </span>
    </span>
  );
}
