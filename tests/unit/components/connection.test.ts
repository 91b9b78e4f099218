import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import { useConnection } from "@/components/channels/form/use-connection";

afterEach(() => vi.unstubAllGlobals());

type Connecting = ReturnType<typeof useConnection>;

function Probe({ onState }: { onState(state: Connecting): void }) {
  onState(useConnection(() => undefined));
  return null;
}

const INVALID = {
  success: false,
  code: "validation",
  message: "",
  issues: [{ path: "base_url", message: "Is not valid." }],
};

test("errors of a draft that was changed since it was sent are not shown", async () => {
  vi.stubGlobal("fetch", async () => Response.json(INVALID, { status: 400 }));
  let state: Connecting | undefined;
  renderToStaticMarkup(createElement(Probe, { onState: (now) => (state = now) }));
  expect(await state?.connect({ provider: "openai" })).toMatchObject({ issues: INVALID.issues });
  const refusal = state?.connect({ provider: "openai" });
  state?.reset();
  expect(await refusal).toBeNull();
});
