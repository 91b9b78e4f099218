import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { activityByKey, KeyActivity } from "@/components/api-keys/key-activity";
import { playgroundHref } from "@/components/api-keys/playground-link";
import { en } from "@/lib/messages/en";

const MODELS = [
  { name: "tts/one", aliases: ["voice"], operation: "speech" as const },
  { name: "embed", aliases: [], operation: "embeddings" as const },
];

test.each([
  [["speech", "embeddings"], [], "/playground/speech"],
  [["embeddings"], [], "/playground/embeddings"],
  [["speech"], ["voice"], "/playground/speech#model=tts%2Fone"],
  [["speech", "embeddings"], ["embed"], "/playground/embeddings#model=embed"],
  [["speech"], ["embed"], null],
  [["manage"], [], null],
] as const)("links a key with %j limited to %j to %s", (operations, allowed, href) => {
  expect(playgroundHref({ operations: [...operations], allowed_models: [...allowed] }, MODELS)).toBe(href);
});

test("returns one value of activity per day, the newest day last", () => {
  const to = Date.parse("2026-11-22T13:00:00Z");
  const sums = { label: null, calls: 2, cost_usd: "0.500000000" };
  const none = {
    errors: 0,
    input_tokens: 0,
    output_tokens: 0,
    characters: 0,
    audio_ms: 0,
    latency_mean_ms: null,
    first_byte_mean_ms: null,
    latency_p50_ms: null,
    latency_p95_ms: null,
  };
  const item = (name: string, period: string) => ({ ...none, ...sums, name, period });
  const activity = activityByKey(
    ["key_1", "key_2", "key_3"],
    // In Auckland (UTC+13) the newest day is already the 23rd.
    [item("key_1", "2026-11-22"), item("key_1", "2026-11-23"), item("key_2", "2026-10-01")],
    to,
  );
  expect(activity.get("key_1")?.calls).toHaveLength(31);
  expect(activity.get("key_1")?.calls.slice(-3)).toEqual([0, 2, 2]);
  expect(activity.get("key_1")?.spend.at(-1)).toBe(0.5);
  expect(activity.get("key_1")?.total).toEqual({ calls: 4, spend: 1 });
  // Every period of the reply counts towards the total, even a day that has no bar.
  expect(activity.get("key_2")?.total.calls).toBe(2);
  expect(activity.get("key_3")?.total).toEqual({ calls: 0, spend: 0 });
});

test("says that a key has no requests only if its activity is known", () => {
  const byKey = activityByKey(["key_1"], [], Date.parse("2026-11-22T13:00:00Z"));
  const shownOf = (id: string, hasFailed: boolean) => {
    const children = createElement(KeyActivity, { id, activities: { byKey, hasFailed } });
    const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
    return renderToStaticMarkup(createElement(IntlProvider, intl)).replaceAll(/<[^>]+>/g, "");
  };
  expect(shownOf("key_1", false)).toBe(en.apiKeys.activity.none);
  expect(shownOf("key_1", true)).toBe(en.apiKeys.activity.none);
  expect(shownOf("key_2", false)).toBe("");
  expect(shownOf("key_2", true)).toBe("—");
});
