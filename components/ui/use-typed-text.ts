import { useState } from "react";

/**
 * The text of an input whose `value` follows a moment later, such as a query parameter. Values that `markSent` was called
 * with do not overwrite what was typed since; any other value, of a link or "Clear filters", does.
 */
export function useTypedText(value: string) {
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  /** Values that were sent and are not in `value` yet. */
  const [sent, setSent] = useState<readonly string[]>([]);
  if (lastValue !== value) {
    setLastValue(value);
    const index = sent.indexOf(value);
    setSent(index < 0 ? [] : sent.slice(index + 1));
    if (index < 0) setText(value);
  }
  return { text, setText, markSent: (next: string) => setSent((before) => [...before, next]) };
}
