import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { keepFocus } from "../ui/keep-focus";

/**
 * Shows more rows of the list before the button. When no rows are left, the button disappears; the focus then moves to
 * a button in the row before the new rows, or to the page's content if that row has none.
 */
export function MoreButton({ onClick, children }: { onClick(): void; children: ReactNode }) {
  return (
    <Button
      variant="ghost"
      size="sm"
      className="justify-self-start"
      onClick={({ currentTarget: button }) => {
        keepFocus(button, button.previousElementSibling?.querySelector("li:last-child button"));
        onClick();
      }}
    >
      {children}
    </Button>
  );
}
