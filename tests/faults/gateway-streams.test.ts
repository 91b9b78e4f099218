import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWire } from "../support/raw-request";
import {
  expectFailure,
  type Reply,
  type RoutedProduct,
  samplesOf,
  spoken,
  startRouted,
  until,
} from "../support/routed-product";
import { startUpstream } from "../support/upstream/server";

/** Streams that break, callers who leave, and their ledger entries. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted({ env: { PATCHBAY_LIMITS: JSON.stringify({ idleMs: 400 }) } });
});
afterAll(() => routed?.close());

/** Upstream calls that cost money; lists of voices do not. */
const paidCalls = () => routed.upstream.ledger.filter((call) => call.method === "POST").length;

/** A call that requests a framing, and how to find an error in the middle of its reply. */
interface Framing {
  call(model: string): [path: string, body: unknown];
  /** The error code at the end of the body; null where the framing cannot carry an error. */
  errorIn(reply: Reply): string | null;
}

function lastFrame(text: string): { error?: { status?: string; code?: string } } {
  const data = text.trimEnd().split("\n").at(-1) ?? "";
  return JSON.parse(data.replace(/^data: /, ""));
}

const FRAMINGS: Readonly<Record<string, Framing>> = {
  "Gemini's JSON": { call: (model) => spoken("gemini", model), errorIn: () => null },
  "Gemini's events": {
    call: (model) => {
      const [path, body] = spoken("gemini", model);
      return [path.replace(":generateContent", ":streamGenerateContent?alt=sse"), body];
    },
    errorIn: ({ text }) => lastFrame(text).error?.status ?? "none",
  },
  "Gemini's JSON array": {
    call: (model) => {
      const [path, body] = spoken("gemini", model);
      return [path.replace(":generateContent", ":streamGenerateContent"), body];
    },
    errorIn: ({ text }) => {
      // The array is never closed.
      expect(text.trimEnd().endsWith("]")).toBe(false);
      return JSON.parse(`${text}]`).at(-1).error?.status ?? "none";
    },
  },
  "raw samples": { call: (model) => spoken("openai", model), errorIn: () => null },
  "a WAV file": {
    call: (model) => {
      const [path, body] = spoken("openai", model);
      return [path, { ...(body as object), response_format: "wav" }];
    },
    errorIn: () => null,
  },
  "OpenAI's events": {
    call: (model) => {
      const [path, body] = spoken("openai", model);
      return [path, { ...(body as object), stream_format: "sse" }];
    },
    errorIn: ({ text }) => {
      expect(text).toContain("event: error\ndata: ");
      return lastFrame(text).error?.code ?? "none";
    },
  },
};

const BREAKS: readonly [
  title: string,
  failure: string,
  providers: readonly string[],
  code: string,
  status: string,
][] = [
  ["is cut", "cut-at-chunk-3", ["openai", "gemini", "elevenlabs"], "upstream_truncated", "INTERNAL"],
  ["stalls", "stall-at-chunk-3", ["openai", "gemini", "elevenlabs"], "upstream_timeout", "DEADLINE_EXCEEDED"],
  [
    "ends in the middle of a sample",
    "short-audio-4801",
    ["openai", "gemini", "elevenlabs"],
    "upstream_truncated",
    "INTERNAL",
  ],
  ["ends cleanly but too early", "end-at-chunk-3", ["gemini"], "upstream_truncated", "INTERNAL"],
  ["reports an error in the middle", "error-at-chunk-3", ["gemini"], "upstream_error", "INTERNAL"],
];

const CASES = BREAKS.flatMap(([title, failure, providers, code, status]) =>
  providers.map((provider) => [provider, title, failure, code, status] as const),
);

/** Gemini's whole reply is buffered until its audio is complete; every other framing streams. */
const UNSTREAMED = "Gemini's JSON";

describe.each(Object.entries(FRAMINGS).filter(([name]) => name !== UNSTREAMED))(
  "sent as %s",
  (_name, framing) => {
    test.each(CASES)(
      "a stream of %s that %s is passed on with the error, and the caller's socket is destroyed",
      async (provider, _title, failure, code, status) => {
        // A healthy channel is available, but must not be used once bytes were sent.
        const { name, ids } = await routed.route("speech", [
          { as: `tts--${failure}`, provider },
          { as: "tts", provider },
        ]);
        const reply = await routed.send(...framing.call(name));
        expect(reply.status, reply.text.slice(0, 300)).toBe(200);
        expect(reply.isWhole).toBe(false);
        expect(reply.bytes.length).toBeGreaterThan(4_000);
        expect(reply.headers["x-patchbay-channel"]).toBe(`${name}-0`);
        const reported = framing.errorIn(reply);
        if (reported !== null) expect([code, status]).toContain(reported);
        const [row, ...others] = await routed.whenRows(name, 1);
        expect(others).toEqual([]);
        expect(row).toMatchObject({ channel_id: ids[0], attempts: 1, error: code });
        // The received audio is in the ledger.
        expect(row?.audio_ms).toBeGreaterThan(90);
        expect(row?.audio_ms).toBeLessThan(500);
      },
    );
  },
);

test.each(Object.entries(FRAMINGS).filter(([framing]) => !framing.startsWith("Gemini")))(
  "speech that Gemini ended early is a broken reply as %s, which has no field for the reason",
  async (_framing, { call, errorIn }) => {
    const { name, ids } = await routed.route("speech", [{ as: "tts--early-finish", provider: "gemini" }]);
    for (let asked = 0; asked < 6; asked++) {
      const reply = await routed.send(...call(name));
      expect([reply.status, reply.isWhole], reply.text.slice(0, 300)).toEqual([200, false]);
      expect(reply.bytes.length).toBeGreaterThan(4_000);
      expect([null, "upstream_truncated"]).toContain(errorIn(reply));
    }
    for (const row of await routed.whenRows(name, 6))
      expect(row).toMatchObject({ error: "upstream_truncated", attempts: 1, audio_ms: 500 });
    // The request is the cause: other callers of the model are still served.
    const { health } = await routed.console(`/api/channels/${ids[0]}`);
    expect(health.state).toBe("closed");
  },
);

test.each(["gemini", "openai"] as const)(
  "long speech that Gemini would cut in a stream reaches %s's callers whole",
  async (dialect) => {
    const { name } = await routed.route("speech", [{ as: "tts--other-when-streamed", provider: "gemini" }]);
    const long = await routed.send(...spoken(dialect, name, "All of it. ".repeat(90)));
    expect([long.status, long.isWhole], long.text.slice(0, 300)).toEqual([200, true]);
    const [row] = await routed.whenRows(name, 1);
    expect(row).toMatchObject({ attempts: 1, status: 200 });
    // A streamed reply of this upstream would end after 200 ms of audio.
    expect(row?.audio_ms).toBeGreaterThan(400);
  },
);

test("speech that Gemini ended early reaches Gemini's callers with the reason", async () => {
  const { name } = await routed.route("speech", [{ as: "tts--early-finish", provider: "gemini" }]);
  const reply = await routed.send(...spoken("gemini", name));
  expect([reply.status, reply.isWhole]).toEqual([200, true]);
  expect(reply.json.candidates[0].finishReason).toBe("MAX_TOKENS");
});

describe("sent as Gemini's JSON", () => {
  test.each(CASES)(
    "a stream of %s that %s fails over, and only the next channel's audio is sent",
    async (provider, _title, failure) => {
      const { name, ids } = await routed.route("speech", [
        { as: `tts--${failure}`, provider },
        { as: "tts", provider: "openai", options: { list_voices: false } },
      ]);
      const reply = await routed.send(...spoken("gemini", name));
      expect(reply.status, reply.text.slice(0, 300)).toBe(200);
      expect(reply.isWhole).toBe(true);
      expect(reply.headers).toMatchObject({ "x-patchbay-channel": `${name}-1`, "x-patchbay-attempts": "2" });
      const pcm = samplesOf(reply);
      expect(pcm.length).toBe(24_000);
      const rows = await routed.whenRows(name, 1);
      expect(rows).toMatchObject([
        { channel_id: ids[1], attempts: 2, status: 200, error: null, audio_ms: 500 },
      ]);
    },
  );

  test.each(CASES)(
    "a stream of %s that %s gives an error status without another channel",
    async (provider, _title, failure, code, status) => {
      const { name } = await routed.route("speech", [{ as: `tts--${failure}`, provider }]);
      const reply = await routed.send(...spoken("gemini", name));
      expectFailure("gemini", reply, status === "INTERNAL" ? 502 : 504, status);
      const [row, ...others] = await routed.whenRows(name, 1);
      expect(others).toEqual([]);
      expect(row).toMatchObject({
        status: reply.status,
        error: code,
        attempts: 2,
        audio_ms: 0,
        cost_usd: "0.000000000",
      });
    },
  );
});

test("a stream cut at any chunk is never complete for the caller, in any framing", async () => {
  let corrupt = 0;
  let broken = 0;
  for (const framing of Object.values(FRAMINGS)) {
    for (let chunk = 0; chunk <= 6; chunk += 1) {
      const { name } = await routed.route("speech", [{ as: `tts--cut-at-chunk-${chunk}` }]);
      const reply = await routed.send(...framing.call(name));
      if (reply.status === 200 && reply.isWhole) corrupt += 1;
      else broken += 1;
      if (chunk === 0) expect(reply.status).toBe(502);
    }
  }
  console.log(`${broken} cut streams, ${corrupt} of them taken for whole ones`);
  expect(corrupt).toBe(0);
});

test("a reply cut at any byte is never answered with 200", async () => {
  const seen = new Map<number, number>();
  for (let byte = 0; byte < 4_000; byte += 100) {
    const { name } = await routed.route("embeddings", [{ as: `embed.740--cut-at-byte-${byte}` }]);
    const { status } = await routed.send("/v1/embeddings", { model: name, input: "a" });
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  expect([...seen.keys()]).toEqual([502]);
});

describe("a caller who leaves", () => {
  /** Aborts a call while it waits or receives; returns the milliseconds until the upstream has no call in progress. */
  async function leave(path: string, body: unknown, when: "waiting" | "receiving"): Promise<number> {
    const leaving = new AbortController();
    let isReceiving = false;
    const sent = routed.send(path, body, {
      signal: leaving.signal,
      onBytes: () => {
        isReceiving = true;
      },
    });
    const over = sent.catch(() => null);
    await until(() => (when === "waiting" ? routed.upstream.inFlight() > 0 : isReceiving));
    const leftAt = performance.now();
    leaving.abort();
    await over;
    await until(() => routed.upstream.inFlight() === 0);
    return performance.now() - leftAt;
  }

  test.each([
    ["before the upstream's headers", "speech", "tts--black-hole", "waiting"],
    ["before the upstream's first byte", "speech", "tts--stall-at-chunk-0", "waiting"],
    ["in the middle of the stream", "speech", "tts--stall-at-chunk-3", "receiving"],
    ["before the upstream's headers", "embeddings", "embed.8--black-hole", "waiting"],
    ["in the middle of the upstream's reply", "embeddings", "embed.8--stall-at-chunk-0", "waiting"],
  ] as const)(
    "%s of %s stops the upstream call within a second and gets one ledger entry",
    async (_when, operation, as, when) => {
      const { name } = await routed.route(operation, [
        { as },
        { as: operation === "speech" ? "tts" : "embed.8" },
      ]);
      const asked = paidCalls();
      const call: [string, unknown] =
        operation === "speech" ? spoken("openai", name) : ["/v1/embeddings", { model: name, input: "a" }];
      const tookMs = await leave(...call, when);
      expect(tookMs).toBeLessThan(1_000);
      const rows = await routed.whenRows(name, 1);
      // A call without a caller is not retried on another channel.
      expect(paidCalls() - asked).toBe(1);
      expect(rows.map((row) => [row.status, row.error, row.attempts])).toEqual([[499, "caller_left", 1]]);
      if (when === "receiving") expect(rows[0]?.audio_ms).toBeGreaterThan(50);
      // The abort does not count as a failure of the channel.
      const channels = await routed.console("/api/channels");
      const states = channels.items.map((one: { health: { state: string } }) => one.health.state);
      expect(new Set(states.slice(-2))).toEqual(new Set(["closed"]));
    },
  );

  test("at any of 60 moments leaves no open socket and no upstream call without a row", async () => {
    const own = await startUpstream();
    const target = { at: own, as: "tts--stall-at-chunk-4", options: { list_voices: false } };
    const { name } = await routed.route("speech", [target]);
    // On a busy machine 60 calls at once take seconds to reach the upstream, and the last callers leave after that.
    const leavesAfterMs = (at: number) => (at < 40 ? 5 * at : 200 + 200 * (at - 40));
    const calls = Array.from({ length: 60 }, async (_, at) => {
      const leaving = new AbortController();
      const sent = routed.send(...spoken("openai", name), { signal: leaving.signal }).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, leavesAfterMs(at)));
      leaving.abort();
      await sent;
    });
    await Promise.all(calls);
    await own.whenNoSockets();
    const rows = await routed.whenRows(name, own.ledger.length);
    expect(own.ledger.length).toBeGreaterThan(0);
    // Some callers left after a channel was chosen and before the upstream read the request.
    expect(rows.filter((row) => row.attempts > 0).length).toBeGreaterThanOrEqual(own.ledger.length);
    expect(new Set(rows.map((row) => row.request_id)).size).toBe(rows.length);
    await own.close();
  });

  test("in the middle of the upload costs nothing and calls no upstream", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
    const asked = paidCalls();
    const wire = await openWire(routed.product.port);
    wire.send(
      `POST /v1/embeddings HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${routed.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":"${name}","input":"`,
    );
    wire.destroy();
    await routed.busy(1);
    expect(paidCalls()).toBe(asked);
    expect(await routed.rows(name)).toEqual([]);
  });
});

describe("memory", () => {
  /** Resident set size, in megabytes. */
  const residentMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${routed.product.process.pid}/status`, "utf8"))?.[1]) /
    1_024;

  test("grows by less than 200 MB while endless replies and gzip bombs are refused", async () => {
    const before = residentMb();
    for (const failure of ["huge", "bomb"]) {
      const targets = Array.from({ length: 2 }, () => ({ as: `embed.8--${failure}` }));
      const { name } = await routed.route("embeddings", targets);
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => routed.send("/v1/embeddings", { model: name, input: "a" })),
      );
      expect(replies.every(({ status }) => status === 502 || status === 503)).toBe(true);
    }
    const risenMb = residentMb() - before;
    console.log(`${risenMb.toFixed(0)} MB more after 20 floods and bombs`);
    // Twice the limit of a reply for each of ten, plus slack for the garbage collector.
    expect(risenMb).toBeLessThan(200);
  });

  test("endless speech is cut at its limit with an error, and a caller who does not read pauses the upstream", async () => {
    const own = await startUpstream();
    const target = { at: own, as: "tts--huge", options: { list_voices: false } };
    const { name } = await routed.route("speech", [target]);
    const before = residentMb();
    const whole = await routed.send(...spoken("openai", name));
    expect([whole.status, whole.isWhole]).toEqual([200, false]);
    expect(whole.bytes.length).toBeLessThanOrEqual(64 * 1_024 * 1_024);

    const { name: held } = await routed.route("speech", [target]);
    const [path, body] = spoken("openai", held);
    const text = JSON.stringify(body);
    const wire = await openWire(routed.product.port);
    wire.pause();
    wire.send(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${routed.key}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    await until(() => (own.ledger[1]?.bodyBytes ?? 0) > 100_000);
    // Without backpressure, all of the upstream's data would arrive in this time.
    await routed.busy(200);
    const sentMb = (own.ledger[1]?.bodyBytes ?? 0) / 1_024 ** 2;
    console.log(
      `${sentMb.toFixed(1)} MB sent to a caller who does not read; ${(residentMb() - before).toFixed(0)} MB more`,
    );
    expect(sentMb).toBeLessThan(24);
    expect(residentMb() - before).toBeLessThan(200);
    wire.destroy();
    await own.whenNoSockets();
    await own.close();
  });
});
