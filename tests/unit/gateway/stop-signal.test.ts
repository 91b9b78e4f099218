import { expect, test } from "vitest";
import { type StopSignal, StopSource } from "../../../lib/ports/stop-signal";

/** What a signal's listeners see, through the same calls of an AbortController and of a StopSource. */
function observe({ signal, abort }: { signal: StopSignal; abort(reason: unknown): void }): unknown[] {
  const seen: unknown[] = [[signal.aborted, signal.reason]];
  const note = (name: string) => () => seen.push([name, signal.aborted, signal.reason]);
  const [twice, removed] = [note("twice"), note("removed")];
  signal.addEventListener("abort", note("first"), { once: true });
  signal.addEventListener("abort", twice, { once: true });
  signal.addEventListener("abort", twice, { once: true });
  signal.addEventListener("abort", removed, { once: true });
  signal.removeEventListener("abort", removed);
  signal.removeEventListener("abort", note("never added"));
  const later = note("removed by a listener");
  signal.addEventListener("abort", () => signal.removeEventListener("abort", later), { once: true });
  signal.addEventListener("abort", later, { once: true });
  abort("a reason");
  signal.addEventListener("abort", note("late"), { once: true });
  abort("another reason");
  return [...seen, [signal.aborted, signal.reason]];
}

test("a request's signal calls its listeners as an AbortSignal does", () => {
  const controller = new AbortController();
  const source = new StopSource();
  const seen = observe({ signal: source, abort: (reason) => source.abort(reason) });
  expect(seen).toEqual(observe({ signal: controller.signal, abort: (reason) => controller.abort(reason) }));
  expect(seen).toContainEqual(["first", true, "a reason"]);
});
