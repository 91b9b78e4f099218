import { describe, expect, test } from "vitest";
import { type ChannelDraft, draftOf, emptyKey, isAddressMissing } from "@/components/channels/channel-draft";
import { updateRequest } from "@/components/channels/channel-request";
import { mergeDraft } from "@/components/channels/merge-draft";
import type { Channel } from "@/lib/contracts/console/channels";

const HEALTH = { state: "closed", opened_at: null, reason: null, retry_at: null } as const;
const key = (id: string, label: string | null = null) => ({ id, display: "****cdef", label, ...HEALTH });
const CHANNEL: Channel = {
  id: "chn_1",
  name: "Cellar",
  provider: "openai",
  base_url: "https://one.example/v1",
  keys: [key("chk_1"), key("chk_2")],
  models: [
    { name: "voice", upstream_name: "tts-1" },
    { name: "embed", upstream_name: "bge-m3" },
  ],
  priority: 0,
  weight: 1,
  rpm: null,
  concurrency: null,
  timeouts: { idle_ms: 5_000 },
  headers: { "x-team": "north", "x-site": "a" },
  options: { speech_format: "wav", voices: { alloy: "af_sky" } },
  enabled: true,
  embedded: false,
  health: HEALTH,
  broken_models: [],
  use: "none",
  created_at: "2026-01-01T00:00:00.000Z",
  version: 1,
};

/** The request of a form that was opened with `CHANNEL`, changed by `mine`, while `theirs` was saved elsewhere. */
function merged(theirs: Partial<Channel>, mine: (opened: ChannelDraft) => Partial<ChannelDraft>) {
  const newest = { ...CHANNEL, ...theirs, version: 2 };
  const base = draftOf(CHANNEL, []);
  const draft = mergeDraft(base, { ...base, ...mine(base) }, draftOf(newest, []));
  return updateRequest(draft, newest);
}

describe("the merge of a channel form with a version that was saved elsewhere", () => {
  test("keeps what the user changed and takes over the rest", () => {
    const theirs = { name: "Theirs", rpm: 60, timeouts: { idle_ms: 5_000, total_ms: 9_000 } };
    const body = merged(theirs, (opened) => ({
      baseUrl: "https://two.example/v1",
      timeouts: { ...opened.timeouts, idle_ms: "7" },
      options: { ...opened.options, speech_format: "" },
    }));
    expect(body).toMatchObject({
      version: 2,
      name: "Theirs",
      base_url: "https://two.example/v1",
      rpm: 60,
      timeouts: { idle_ms: 7_000, total_ms: 9_000 },
    });
    expect(body.options).toEqual({ voices: { alloy: "af_sky" } });
  });

  test("keeps the user's value of a field that both changed", () => {
    const body = merged({ name: "Theirs", headers: { "x-team": "south" } }, ({ headers }) => ({
      name: "Mine",
      headers: headers.map((row) => (row.name === "x-team" ? { ...row, value: "east" } : row)),
    }));
    expect(body).toMatchObject({ name: "Mine", headers: { "x-team": "east" } });
  });

  test("merges the rows of a list one by one", () => {
    const theirs = {
      models: [
        { name: "voice", upstream_name: "tts-1" },
        { name: "added-there", upstream_name: "kokoro" },
      ],
      headers: { "x-team": "north", "x-there": "1" },
    };
    const body = merged(theirs, ({ models, headers }) => ({
      models: [
        ...models.map((row) => (row.name === "voice" ? { ...row, name: "renamed-here" } : row)),
        { id: "new", upstream: "piper", name: "added-here", operation: null, isOn: true, isManual: true },
      ],
      headers: headers.filter(({ name }) => name !== "x-team"),
    }));
    expect(body.models).toEqual([
      { name: "renamed-here", upstream_name: "tts-1" },
      { name: "added-there", upstream_name: "kokoro" },
      { name: "added-here", upstream_name: "piper" },
    ]);
    expect(body.headers).toEqual({ "x-there": "1" });
  });

  test("keeps entered keys and leaves out stored keys that were removed elsewhere", () => {
    const theirs = { keys: [key("chk_2", "South"), key("chk_3")] };
    const body = merged(theirs, ({ keys }) => ({
      keys: [
        ...keys.map((one) => (one.id === "chk_1" ? { ...one, label: "North" } : one)),
        { ...emptyKey(), kind: "new" as const, text: "sk-entered-here" },
      ],
    }));
    expect(body.keys).toEqual([
      { id: "chk_2", label: "South" },
      { id: "chk_3", label: null },
      "sk-entered-here",
    ]);
  });

  test("serves a model that was selected elsewhere and is merely listed here", () => {
    const theirs = { models: [...CHANNEL.models, { name: "house", upstream_name: "kokoro" }] };
    const listed = { upstream: "kokoro", name: "kokoro", operation: "speech", isManual: false } as const;
    const body = merged(theirs, ({ models }) => ({
      models: [...models, { ...listed, id: "listed", isOn: false }],
    }));
    expect(body.models).toEqual(theirs.models);
  });

  test("is the newest version if the user changed nothing, and can be merged again after a second conflict", () => {
    const newest = { ...CHANNEL, name: "Theirs", version: 2 };
    expect(merged(newest, () => ({}))).toEqual(updateRequest(draftOf(newest, []), newest));
    const base = draftOf(CHANNEL, []);
    const second = draftOf(newest, []);
    const mine = mergeDraft(base, { ...base, headers: base.headers.slice(1), weight: "4" }, second);
    const third = draftOf({ ...newest, rpm: 9 }, []);
    expect(updateRequest(mergeDraft(second, mine, third), newest)).toMatchObject({
      name: "Theirs",
      weight: 4,
      rpm: 9,
      headers: { "x-site": "a" },
    });
  });
});

test.each([
  ["https://one.example/v1", true],
  ["https://one.openai.azure.com", true],
  ["https://api.openai.com/v1", false],
  [null, false],
])(
  "the form of a channel that was saved with the base URL %s requires a base URL: %j",
  (base_url, isRequired) => {
    const draft = draftOf({ ...CHANNEL, base_url }, []);
    expect(isAddressMissing({ ...draft, baseUrl: "" })).toBe(isRequired);
  },
);
