import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { useAbortableRun } from "@/components/embeddings/use-comparison";

type Runs = ReturnType<typeof useAbortableRun>;

function Runner({ onRuns }: { onRuns(runs: Runs): void }) {
  onRuns(useAbortableRun());
  return null;
}

test("Stop ends a run whose code is still loading", async () => {
  let runs: Runs | undefined;
  renderToStaticMarkup(createElement(Runner, { onRuns: (now) => (runs = now) }));
  // As `loadPart` while the server is unreachable.
  const ended = runs?.run("texts", () => new Promise(() => undefined)).then(() => "ended");
  runs?.stop();
  const running = new Promise((resolve) => setTimeout(resolve, 50, "running"));
  expect(await Promise.race([ended, running])).toBe("ended");
});
