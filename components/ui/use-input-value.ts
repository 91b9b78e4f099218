import { useState } from "react";
import { useWindowEvent } from "../../lib/client/use-window-event";

/**
 * The value of an input whose `value` follows its changes a moment later, such as a query parameter: React would put the
 * old value back meanwhile, and lose what is typed. `change` shows a value and passes it on; `onChange` returns false
 * when `value` is that one already. Any other new `value`, of a link or "Clear filters", is shown.
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
  // Back may come before `value` follows, which then never has the values that were passed on.
  useWindowEvent("popstate", () => {
    setPending([]);
    if (value !== shown) show(value);
  });
  const change = (next: Value) => {
    // React keeps even an update without effect, and would apply it after that of a link.
    if (next !== shown) show(next);
    if (onChange(next) !== false) setPending((before) => [...before, next]);
  };
  return { shown, show, change };
}
