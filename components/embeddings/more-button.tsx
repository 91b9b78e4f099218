import type { ReactNode } from "react";
import { Button } from "../ui/button";
import { keepFocus } from "../ui/keep-focus";

/**
 * Shows more rows of the list before it. If none are left, so that it disappears, the focus moves to the row before the
 * new ones.
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
