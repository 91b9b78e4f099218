import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError, isAppError } from "../../lib/errors";
import { sendRaw } from "../support/raw-request";
import { callOptions, channelTo, createRig, hear, speechRequest, TEXT } from "../support/upstream/rig";
import { startUpstream, type Upstream } from "../support/upstream/server";
import { spokenSamples, vectorOf } from "../support/upstream/sounds";

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

const embeddings = () => rig.embedding(channelTo("openai", upstream));

/** The error code of a call; `ok` for a success. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "ok";
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

test.each(["cut-at-byte", "cut-chunked-at-byte"])(
  "a 4 KB reply with '%s' at any position is never accepted as complete",
  async (failure) => {
    const model = embeddings();
    // A vector of 740 numbers is 3,948 characters of base64; with its fields the reply is about 4 KB.
    const whole = await model.embed({ model: "embed.740", texts: ["a"] }, callOptions());
    expect(whole.vectors[0]).toEqual(vectorOf("a", 740));
    const length = upstream.ledger.at(-1)?.bodyBytes ?? 0;
    expect(length).toBeGreaterThan(4_000);
    const seen = new Map<string, number>();
    for (let byte = 0; byte < length; byte += 32) {
      const cuts = Array.from({ length: Math.min(32, length - byte) }, (_, i) => byte + i);
      const codes = await Promise.all(
        cuts.map((cut) =>
          outcome(model.embed({ model: `embed.740--${failure}-${cut}`, texts: ["a"] }, callOptions())),
        ),
      );
      for (const code of codes) seen.set(code, (seen.get(code) ?? 0) + 1);
    }
    expect([...seen.keys()]).toEqual(["upstream_truncated"]);
    expect(seen.get("upstream_truncated")).toBe(length);
  },
  120_000,
);

const STREAMS: readonly [string, Record<string, unknown>][] = [
  ["openai", {}],
  ["openai", { stream_format: "sse" }],
  ["openai", { speech_format: "wav" }],
  ["gemini", {}],
  ["elevenlabs", {}],
];

test.each(STREAMS)(
  "%s %j: a stream cut at any chunk gives its audio and an error, never an end",
  async (provider, options) => {
    const model = rig.speech(
      channelTo(provider, upstream, { options: { list_voices: undefined, ...options } }),
    );
    const whole = await hear(model, speechRequest("tts"));
    expect(whole.error).toBeNull();
    const chunks = Math.ceil((spokenSamples(TEXT, 24_000) * 2) / 4_800) + 1;
    for (let n = 0; n <= chunks + 1; n += 1) {
      const cut = await hear(model, speechRequest(`tts--cut-at-chunk-${n}`));
      expect([n, cut.end, isAppError(cut.error) && cut.error.code]).toEqual([n, null, "upstream_truncated"]);
      expect(cut.pcm.equals(whole.pcm.subarray(0, cut.pcm.length))).toBe(true);
    }
  },
);

test.each([
  ["openai", { stream_format: "sse" }],
  ["openai", { speech_format: "wav" }],
  ["gemini", {}],
] as const)("%s %j: a stream that ends early but cleanly is truncated too", async (provider, options) => {
  const model = rig.speech(channelTo(provider, upstream, { options }));
  for (const n of [1, 2, 4]) {
    const { end, error } = await hear(model, speechRequest(`tts--end-at-chunk-${n}`));
    expect([end, isAppError(error) && error.code]).toEqual([null, "upstream_truncated"]);
  }
});

test("throws an error in the middle of Gemini's stream after the audio before it", async () => {
  const { pcm, end, error } = await hear(
    rig.speech(channelTo("gemini", upstream)),
    speechRequest("tts--error-at-chunk-3"),
  );
  expect(pcm.length).toBe(3 * 4_800);
  expect([end, isAppError(error) && error.code]).toEqual([null, "upstream_error"]);
});

test.each(STREAMS)(
  "%s %j: a stream that stalls ends after the idle time, and its socket closes",
  async (provider, options) => {
    const own = await startUpstream();
    const ownRig = createRig([own], { limits: { idleMs: 300 } });
    const { pcm, error } = await hear(
      ownRig.speech(channelTo(provider, own, { options })),
      speechRequest("tts--stall-at-chunk-3"),
    );
    expect(pcm.length).toBeGreaterThan(0);
    expect(error).toMatchObject({ code: "upstream_timeout" });
    await own.whenNoSockets();
    await ownRig.close();
    await own.close();
  },
);

test.each(["black-hole", "stall-at-chunk-0"])("'%s' ends with the first-byte timeout", async (failure) => {
  const from = performance.now();
  const { error } = await hear(
    rig.speech(channelTo("openai", upstream)),
    speechRequest(`tts--${failure}`),
    callOptions({ firstByteBy: from + 200 }),
  );
  expect(error).toMatchObject({ code: "upstream_timeout" });
  expect(performance.now() - from).toBeGreaterThanOrEqual(190);
});

test.each([
  ["before headers", "black-hole"],
  ["before the body", "stall-at-chunk-0"],
  ["in the middle", "stall-at-chunk-3"],
])("a caller who leaves %s leaves no socket open, and the error has the reason", async (_when, failure) => {
  const own = await startUpstream();
  const ownRig = createRig([own]);
  const leaving = new AbortController();
  const reason = new AppError("upstream_timeout", "too slow for this attempt");
  const work = hear(
    ownRig.speech(channelTo("openai", own)),
    speechRequest(`tts--${failure}`),
    callOptions({ signal: leaving.signal }),
  );
  while (own.ledger.length === 0) await new Promise((resolve) => setImmediate(resolve));
  // In this time everything in transit arrives, since the upstream sends no more.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const left = performance.now();
  leaving.abort(reason);
  expect((await work).error).toBe(reason);
  await own.whenNoSockets();
  expect(performance.now() - left).toBeLessThan(1_000);
  // One connection for the call, one for this request: none replaced the aborted one.
  await sendRaw(own.origin, { method: "GET", path: "/v1/models" });
  expect(own.connections()).toBe(2);
  await ownRig.close();
  await own.close();
});

test.each(["huge", "bomb"])(
  "aborts a reply with '%s' at its limit, and closes the connection",
  async (failure) => {
    const own = await startUpstream();
    const ownRig = createRig([own]);
    const model = ownRig.embedding(channelTo("openai", own));
    await expect(
      model.embed({ model: `embed--${failure}`, texts: ["a"] }, callOptions()),
    ).rejects.toMatchObject({
      code: "upstream_invalid",
    });
    await own.whenNoSockets();
    // Sent: the limit (1.2 MB decoded) plus socket buffers.
    expect(own.ledger[0]?.bodyBytes).toBeLessThan(16 * 1024 * 1024);
    await ownRig.close();
    await own.close();
  },
);

test("gives upstream_error for a 503 with a JSON or an HTML body", async () => {
  for (const failure of ["status-503", "html-status-503"]) {
    expect(
      await outcome(embeddings().embed({ model: `embed--${failure}`, texts: ["a"] }, callOptions())),
    ).toBe("upstream_error");
  }
});

test("keeps connections between calls, up to a limit", async () => {
  const own = await startUpstream();
  const ownRig = createRig([own]);
  const model = ownRig.embedding(channelTo("openai", own, { concurrency: 4 }));
  const embed = () => model.embed({ model: "embed", texts: ["a"] }, callOptions());
  for (let i = 0; i < 20; i += 1) await embed();
  // The next call may begin before the last one's connection is returned.
  expect(own.openSockets()).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 100 }, embed));
  expect(own.openSockets()).toBeLessThanOrEqual(4);
  expect(own.ledger.length).toBe(120);
  await ownRig.close();
  await own.close();
});

test("a malformed reply neither stops the process nor counts as a success", async () => {
  const model = embeddings();
  const failures = [
    "garbage",
    "garbage-json",
    "not-utf8",
    "empty",
    "not-http",
    "many-headers",
    "bad-gzip",
    "strange-encoding",
  ];
  const codes = await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      outcome(model.embed({ model: `embed--${failures[i % failures.length]}`, texts: ["a"] }, callOptions())),
    ),
  );
  expect([...new Set(codes)]).toEqual(["upstream_invalid"]);
});
