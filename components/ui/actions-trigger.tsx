import { EllipsisIcon } from "lucide-react";
import { Button, type ButtonProps } from "./button";

/** What opens the menu of a row; it looks the same before and after the menu has come. */
export function ActionsTrigger({ label, ...props }: ButtonProps & { label: string }) {
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={label}>
      <EllipsisIcon />
    </Button>
  );
}
