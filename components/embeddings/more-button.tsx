import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { keepFocus } from "../ui/keep-focus";

/**
 * Shows more rows of the list before the button. When no rows are left, the button disappears; the focus then moves to
 * a button in the row before the new rows, or to the section's heading if that row has none.
 */
export function MoreButton({ onClick, children }: { onClick(): void; children: ReactNode }) {
  return (
    <Button
      variant="ghost"
      size="sm"
      className="justify-self-start"
      onClick={({ currentTarget: button }) => {
        const last = button.previousElementSibling?.querySelector<HTMLElement>("li:last-child button");
        keepFocus(button, last ?? button.closest("section")?.querySelector("h2"));
        onClick();
      }}
    >
      {children}
    </Button>
  );
}
