import { useState } from "react";
import { useWindowEvent } from "../../lib/client/use-window-event";

/**
 * The shown value of an input whose `value` follows its changes a moment later, as a query parameter does: meanwhile
 * React would restore the old value and lose what is typed. `change` shows a value and passes it to `onChange`, which
 * returns false if `value` is that value already, so that no change follows. A new `value` that was not passed on, such
 * as from a link or "Clear filters", is shown.
 */
export function useInputValue<Value extends string>(value: Value, onChange: (next: Value) => unknown) {
  const [shown, show] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  /** Values that were passed on and are not in `value` yet. */
  const [pending, setPending] = useState<readonly Value[]>([]);
  if (lastValue !== value) {
    setLastValue(value);
    const index = pending.indexOf(value);
    setPending(index < 0 ? [] : pending.slice(index + 1));
    if (index < 0) show(value);
  }
  // The user may go back before `value` has followed; it then never gets the values that were passed on.
  useWindowEvent("popstate", () => {
    setPending([]);
    if (value !== shown) show(value);
  });
  const change = (next: Value) => {
    // Only a real change: React queues even an update without effect, and would apply it after the update from a link.
    if (next !== shown) show(next);
    if (onChange(next) !== false) setPending((before) => [...before, next]);
  };
  return { shown, show, change };
}
