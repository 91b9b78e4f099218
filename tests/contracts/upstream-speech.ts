import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAppError } from "../../lib/errors";
import { SPEECH_SAMPLE_RATE } from "../../lib/ports/speech-model";
import type { ChannelRecord } from "../../lib/ports/store";
import {
  callOptions,
  channelTo,
  createRig,
  hear,
  speechRequest,
  TEXT,
  UPSTREAM_KEY,
} from "../support/upstream/rig";
import { startUpstream, type Upstream } from "../support/upstream/server";
import { spokenSamples } from "../support/upstream/sounds";

/** What is specific to a provider. */
interface SpeechDialect {
  provider: string;
  options?: Record<string, unknown>;
  /** False: one JSON reply holds all the audio. */
  streams?: boolean;
  /** Error codes that only this provider has. */
  failures: Readonly<Record<string, string>>;
}

/** Failures of the upstream with the same error code for every provider; the gateway decides by the code. */
const COMMON_FAILURES: Readonly<Record<string, string>> = {
  "reset-before-headers": "upstream_error",
  "close-before-headers": "upstream_error",
  "not-http": "upstream_invalid",
  "many-headers": "upstream_invalid",
  garbage: "upstream_invalid",
  empty: "upstream_invalid",
  "no-audio": "upstream_invalid",
  "short-audio-0": "upstream_invalid",
  "short-audio-480": "upstream_invalid",
  "bad-gzip": "upstream_invalid",
  "strange-encoding": "upstream_invalid",
  "redirect-301": "upstream_redirect",
  "redirect-302": "upstream_redirect",
  "redirect-307": "upstream_redirect",
  "redirect-308": "upstream_redirect",
  "status-400": "invalid",
  "status-401": "upstream_error",
  "status-403": "upstream_error",
  "status-404": "invalid",
  "html-status-400": "upstream_error",
  "html-status-404": "upstream_error",
  "status-405": "upstream_error",
  "status-408": "upstream_timeout",
  "status-409": "upstream_error",
  "status-422": "invalid",
  "status-425": "upstream_error",
  "status-429": "upstream_rate_limited",
  "status-500": "upstream_error",
  "status-503": "upstream_error",
  "status-504": "upstream_timeout",
  "status-529": "upstream_error",
  "error-with-200-408": "upstream_timeout",
  "error-with-200-429": "upstream_rate_limited",
  "error-with-200-502": "upstream_error",
  "cut-at-chunk-0": "upstream_truncated",
};

/** The contract of SpeechModel, against the loopback upstream. */
export function upstreamSpeechContract({
  provider,
  options = {},
  streams = true,
  failures,
}: SpeechDialect): void {
  describe(`${provider} as a speech model ${JSON.stringify(options)}`, () => {
    let upstream: Upstream;
    let rig: ReturnType<typeof createRig>;
    beforeAll(async () => {
      upstream = await startUpstream({ key: UPSTREAM_KEY });
      rig = createRig([upstream]);
    });
    afterAll(async () => {
      await rig.close();
      await upstream.close();
    });
    const channel = (fields: Partial<ChannelRecord> = {}) =>
      channelTo(provider, upstream, { options, ...fields });

    test("speaks whole samples at 24 kHz and ends once", async () => {
      const { pcm, end, error } = await hear(rig.speech(channel()), speechRequest("tts"));
      expect(error).toBeNull();
      expect(pcm.length).toBe(spokenSamples(TEXT, SPEECH_SAMPLE_RATE) * 2);
      expect(end).toMatchObject({ type: "end", finishReason: "STOP" });
    });

    test("returns pieces of whole samples, none empty, at even offsets", async () => {
      let bytes = 0;
      for await (const event of rig.speech(channel()).synthesize(speechRequest("tts"), callOptions())) {
        if (event.type !== "audio") continue;
        bytes += event.pcm.length;
        expect(event.pcm.length).toBeGreaterThan(0);
        expect([event.pcm.length % 2, event.pcm.byteOffset % 2]).toEqual([0, 0]);
      }
      expect(bytes).toBeGreaterThan(0);
    });

    test("sends nothing before the first piece is requested", () => {
      const before = upstream.ledger.length;
      rig.speech(channel()).synthesize(speechRequest("tts"), callOptions());
      expect(upstream.ledger.length).toBe(before);
    });

    test("sends nothing for a caller who has left", async () => {
      const before = upstream.ledger.length;
      const { error } = await hear(
        rig.speech(channel()),
        speechRequest("tts"),
        callOptions({ signal: AbortSignal.abort() }),
      );
      expect(error).toMatchObject({ code: "caller_left" });
      expect(upstream.ledger.length).toBe(before);
    });

    test.each(Object.entries({ ...COMMON_FAILURES, ...failures }))(
      "maps '%s' to %s, without audio and without an end",
      async (failure, code) => {
        const { pcm, end, error } = await hear(rig.speech(channel()), speechRequest(`tts--${failure}`));
        expect(error).toMatchObject({ code });
        expect([pcm.length, end]).toEqual([0, null]);
        const shown = isAppError(error) ? JSON.stringify([error.message, error.details]) : "";
        for (const secret of [UPSTREAM_KEY, "127.0.0.1", String(upstream.port), "10.1.2.3", "internal"]) {
          expect(shown).not.toContain(secret);
        }
      },
    );

    test("treats a refused key as the channel's error and keeps its message private", async () => {
      const wrong = { ...channel(), keys: [] };
      const { error } = await hear(rig.speech(wrong), speechRequest("tts"));
      expect(error).toMatchObject({ code: "upstream_error", details: { upstreamRefusal: "credentials" } });
      expect(isAppError(error) && error.message).not.toMatch(/key/i);
    });

    test("passes on the upstream's message about the caller's input, without addresses", async () => {
      const { error } = await hear(rig.speech(channel()), speechRequest("tts--status-400"));
      expect(error).toMatchObject({ code: "invalid", message: "Failed at [address] with 400." });
    });

    test("skips informational responses before the final one, also on a reused connection", async () => {
      const own = await startUpstream();
      const ownRig = createRig([own]);
      const model = ownRig.speech(channelTo(provider, own, { options, concurrency: 1 }));
      for (let call = 0; call < 3; call += 1) {
        const { pcm, error } = await hear(model, speechRequest("tts--informational"));
        expect(error).toBeNull();
        expect(pcm.length).toBe(spokenSamples(TEXT, SPEECH_SAMPLE_RATE) * 2);
      }
      expect(own.connections()).toBe(1);
      await ownRig.close();
      await own.close();
    });

    test("reads a compressed reply that was not requested", async () => {
      const { pcm, error } = await hear(rig.speech(channel()), speechRequest("tts--gzip"));
      expect(error).toBeNull();
      expect(pcm.length).toBe(spokenSamples(TEXT, SPEECH_SAMPLE_RATE) * 2);
    });

    if (!streams) return;

    test("closes the connection when the caller stops reading", async () => {
      const own = await startUpstream();
      const ownRig = createRig([own]);
      const model = ownRig.speech(channelTo(provider, own, { options }));
      for await (const event of model.synthesize(speechRequest("tts--stall-at-chunk-3"), callOptions())) {
        expect(event.type).toBe("audio");
        expect(own.openSockets()).toBe(1);
        break;
      }
      await own.whenNoSockets();
      await ownRig.close();
      await own.close();
    });
  });
}
