import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Take } from "@/components/speech/history";
import { useTakes } from "@/components/speech/use-takes";
import { drawToasts } from "@/components/ui/toast";
import type { SpeechPlayer } from "@/lib/client/speech-player";
import { speech } from "@/lib/messages/en/speech";

type Takes = ReturnType<typeof useTakes>;

// Type assertions: the properties that the hook reads.
const player = { snapshot: () => ({ phase: "empty" }), clear: () => undefined } as unknown as SpeechPlayer;
const take = { id: "take_1", userId: "usr_olivia", createdAt: 0 } as Take;

function History({ onTakes }: { onTakes(takes: Takes): void }) {
  onTakes(useTakes(take.userId, player));
  return null;
}

/** The takes of a page. It is rendered as on the server, where state does not change. */
function openHistory(): Takes {
  let takes: Takes | undefined;
  const children = createElement(History, { onTakes: (now) => (takes = now) });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: { speech }, children };
  renderToStaticMarkup(createElement(IntlProvider, intl));
  return takes ?? expect.unreachable();
}

const openDatabase = vi.fn(() => {
  throw new DOMException("", "SecurityError");
});

beforeEach(() => {
  vi.stubGlobal("indexedDB", { open: openDatabase });
  openDatabase.mockClear();
});

// Deleting shows a toast, which would otherwise be queued for the next test file of this process.
afterEach(() => {
  drawToasts(() => undefined)();
  vi.unstubAllGlobals();
});

test("a take is stored", async () => {
  openHistory().add(take);
  await vi.waitFor(() => expect(openDatabase).toHaveBeenCalledTimes(1));
});

test("a take is not stored after a sign-out in another tab", async () => {
  const fetched = vi.fn(async () =>
    Response.json({ success: false, code: "unauthenticated", message: "" }, { status: 401 }),
  );
  vi.stubGlobal("fetch", fetched);
  openHistory().add(take);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(openDatabase).not.toHaveBeenCalled();
  expect(fetched).toHaveBeenCalledTimes(1);
});

for (const act of ["clear", "remove"] as const)
  test(`a take is not stored after ${act} while the code that stores it was still loading`, async () => {
    const history = openHistory();
    history.add(take);
    history[act](take);
    // The database is opened once, to delete the take.
    await vi.waitFor(() => expect(openDatabase).toHaveBeenCalled());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(openDatabase).toHaveBeenCalledTimes(1);
  });
