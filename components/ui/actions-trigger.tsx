import { EllipsisIcon } from "lucide-react";
import { Button, type ButtonProps } from "./button";

/** The "…" button of a row; the same before and after the menu has loaded. */
export function ActionsTrigger({ label, ...props }: ButtonProps & { label: string }) {
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={label}>
      <EllipsisIcon />
    </Button>
  );
}
