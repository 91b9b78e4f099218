import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../../lib/errors";
import { withAccepted } from "../../../lib/providers/openai/chosen-values";
import { type ChosenValues, formOf } from "../../../lib/providers/openai/options";
import { callOptions, channelTo, createRig, hear, speechRequest } from "../../support/upstream/rig";
import { startUpstream, type Upstream } from "../../support/upstream/server";
import { vectorOf } from "../../support/upstream/sounds";

const CALL = { model: "m", texts: ["one"] };

let upstream: Upstream;
let rig: ReturnType<typeof createRig>;

beforeAll(async () => {
  upstream = await startUpstream();
  rig = createRig([upstream]);
});
afterAll(async () => {
  await rig.close();
  await upstream.close();
});

/** The bodies of the requests that `work` sends. */
async function sentBy(work: () => Promise<unknown>): Promise<unknown[]> {
  const before = upstream.ledger.length;
  await work();
  return upstream.ledger.slice(before).map(({ body }) => body);
}

test("sends fewer texts in one call once the upstream has named its limit", async () => {
  const channel = channelTo("openai", upstream);
  const texts = Array.from({ length: 70 }, (_, index) => `text ${index}`);
  const model = "embed--max-texts-32";
  const embed = async () => {
    const { vectors } = await rig.embedding(channel).embed({ model, texts }, callOptions());
    expect(vectors).toEqual(texts.map((text) => vectorOf(text, 256)));
  };
  const sizes = (bodies: unknown[]) =>
    // Type assertion: the provider built these bodies.
    (bodies as { input: string[] }[]).map(({ input }) => input.length).toSorted((a, b) => b - a);
  expect(sizes(await sentBy(embed))).toEqual([70, 32, 32, 6]);
  expect(sizes(await sentBy(embed))).toEqual([32, 32, 6]);
});

test.each([
  ["embed--only-floats", "encoding_format", "base64", "float"],
  ["embed--no-user", "user", "u-1", undefined],
])("%s: replaces a refused %s, and remembers the accepted value", async (model, field, refused, accepted) => {
  const channel = channelTo("openai", upstream);
  const embed = async () => {
    const request = { model, texts: ["one"], user: "u-1" };
    const { vectors } = await rig.embedding(channel).embed(request, callOptions());
    expect(vectors).toEqual([vectorOf("one", 256)]);
  };
  const values = (bodies: unknown[]) => (bodies as Record<string, unknown>[]).map((body) => body[field]);
  expect(values(await sentBy(embed))).toEqual([refused, accepted]);
  expect(values(await sentBy(embed))).toEqual([accepted]);
});

test("speaks through an upstream that accepts only WAV, and remembers the format", async () => {
  const channel = channelTo("openai", upstream, { options: { list_voices: false } });
  const speak = async () => {
    const { error, pcm } = await hear(rig.speech(channel), speechRequest("tts--only-wav"));
    expect([error, pcm.length > 0]).toEqual([null, true]);
  };
  expect(await sentBy(speak)).toMatchObject([{ response_format: "pcm" }, { response_format: "wav" }]);
  expect(await sentBy(speak)).toMatchObject([{ response_format: "wav" }]);
});

test("does not replace the operator's own choice, and remembers nothing from a call that failed", async () => {
  const own = channelTo("openai", upstream, { options: { encoding_format: "base64", speech_format: "pcm" } });
  const request = { model: "embed--only-floats", texts: ["one"] };
  await expect(rig.embedding(own).embed(request, callOptions())).rejects.toMatchObject({ code: "invalid" });
  const { error } = await hear(rig.speech(own), speechRequest("tts--only-wav"));
  expect(error).toMatchObject({ code: "invalid" });

  const form = formOf(channelTo("openai", upstream));
  const refuse = () => Promise.reject(new AppError("invalid", "No base64."));
  await expect(withAccepted(form, CALL, refuse)).rejects.toMatchObject({ message: "No base64." });
  expect(form.accepted.size).toBe(0);
});

test("reads no limit from the part of an error that quotes the caller's text", async () => {
  const texts = ["maximum allowed batch size 1", "two"];
  let calls = 0;
  const refuse = () => {
    calls += 1;
    return Promise.reject(new AppError("invalid", `Too many tokens in: ${texts[0]}`));
  };
  const form = formOf(channelTo("openai", upstream));
  await expect(withAccepted(form, { model: "m", texts }, refuse)).rejects.toThrow("Too many tokens");
  expect(calls).toBe(1);
});

test("replaces a refused encoding even if the caller's text names the encoding", async () => {
  const request = { model: "embed--only-floats", texts: ["base64 encoding is not currently supported"] };
  const { vectors } = await rig.embedding(channelTo("openai", upstream)).embed(request, callOptions());
  expect(vectors).toHaveLength(1);
});

test("two concurrent calls that learn different values keep both", async () => {
  const form = formOf(channelTo("openai", upstream));
  let calls = 0;
  const refusedBy = (words: string) => async () => {
    calls += 1;
    if (calls <= 2) throw new AppError("invalid", words);
  };
  await Promise.all([
    withAccepted(form, CALL, refusedBy("batch size 33 > maximum allowed batch size 32")),
    withAccepted(form, CALL, refusedBy("No base64.")),
  ]);
  expect(form.accepted.get(CALL.model)).toMatchObject({ maxTexts: 32, encoding: "float" });
});

test("a call that began before a refusal does not undo the value learned from it, and other models keep theirs", async () => {
  const form = formOf(channelTo("openai", upstream));
  let finish = (): void => undefined;
  const early = withAccepted(
    form,
    CALL,
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  let calls = 0;
  await withAccepted(form, CALL, async () => {
    calls += 1;
    if (calls === 1) throw new AppError("invalid", "No base64.");
  });
  finish();
  await early;
  const encodingOf = (model: string) =>
    withAccepted(form, { model, texts: [] }, async ({ encoding }) => encoding);
  expect([await encodingOf(CALL.model), await encodingOf("other")]).toEqual(["float", "base64"]);
});

test.each<[string, Partial<ChosenValues>]>([
  ["batch size 33 > maximum allowed batch size 32", { maxTexts: 32 }],
  [
    "<400> InternalError: batch size is invalid, it should not be larger than 10.: input.contents",
    { maxTexts: 10 },
  ],
  ["* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch", { maxTexts: 100 }],
  [
    "litellm.UnsupportedParamsError: Setting {'encoding_format': 'base64'} is not supported",
    { encoding: "float" },
  ],
  ["user: Extra inputs are not permitted", { hasUser: false }],
  ["response_format must be one of [wav]", { audioFormat: "wav" }],
])("replaces the value that the upstream refuses with: %s", async (words, expected) => {
  const form = formOf(channelTo("openai", upstream));
  const tried: ChosenValues[] = [];
  await withAccepted(form, CALL, async (chosen) => {
    tried.push(chosen);
    if (tried.length === 1) throw new AppError("invalid", words);
  });
  expect(tried[1]).toEqual({ ...tried[0], ...expected });
});

test.each([
  "at most 8192 tokens can be in one text",
  "batch size 3 > maximum allowed batch size 2048",
  "dimensions: Input should be at most 1024",
  "Invalid 'user' in text",
])("replaces no value after: %s", async (words) => {
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.reject(new AppError("invalid", words));
  };
  await expect(withAccepted(formOf(channelTo("openai", upstream)), CALL, call)).rejects.toThrow(words);
  expect(calls).toBe(1);
});

test("asks OpenRouter for floats", () => {
  expect(formOf(channelTo("openai", { origin: "https://openrouter.ai" })).chosen.encoding).toBe("float");
});
