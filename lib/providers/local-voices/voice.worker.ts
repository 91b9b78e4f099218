import { existsSync } from "node:fs";
import { encodePcm16, samplesFor } from "../../audio/pcm";
import { shapeSpeech } from "../../audio/shape";
import { AppError, isAppError } from "../../errors";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import type { SpeakMessage, SpokenMessage } from "../embedded-speech/protocol";
import type { VoiceChunk } from "./plan";
import type { EngineFiles } from "./read-folder";

/**
 * The process of one model. A process and not a thread: sherpa-onnx ends its whole process on a file that it cannot
 * use. The first argument is JSON of EngineFiles, the second the number of threads.
 */

/** The range of speeds of the models; the samples are stretched for the rest. */
const SLOWEST = 0.5;
const FASTEST = 2;
const NO_TIMBRE = { playbackRate: 1, bands: [] } as const;

const { kind, model, ruleFsts, ruleFars, voices, vocoder, lengthScale, ...rest }: EngineFiles = JSON.parse(
  process.argv[2] ?? "",
);

async function load() {
  const { default: sherpa } = await import("sherpa-onnx-node").catch((error: unknown) => {
    const platform = `${process.platform}-${process.arch}`;
    throw new AppError("upstream_error", `sherpa-onnx cannot be loaded on ${platform}.`, {}, error);
  });
  const files = kind === "matcha" ? { ...rest, acousticModel: model, vocoder } : { ...rest, model, voices };
  return new sherpa.OfflineTts({
    model: { [kind]: files, numThreads: Number(process.argv[3] ?? 1), provider: "cpu", debug: false },
    maxNumSentences: 1,
    ...(ruleFsts === undefined ? {} : { ruleFsts }),
    ...(ruleFars === undefined ? {} : { ruleFars }),
  });
}

let loading: ReturnType<typeof load> | undefined;

async function speak({
  text,
  speaker,
  speed,
  pauseMs,
}: VoiceChunk): Promise<{ pcm: Uint8Array; workMs: number }> {
  // Loading is repeated for the next text, since a missing file may have been added.
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  const engine = await loading;
  const began = performance.now();
  const asked = speed / lengthScale;
  const own = Math.min(FASTEST, Math.max(SLOWEST, asked));
  const { samples, sampleRate } = engine.generate({
    text,
    sid: speaker,
    speed: own,
    enableExternalBuffer: false,
  });
  // The engine reads a text without espeak-ng's files as silence, not as an error.
  if (!existsSync(model)) throw new Error("the model's folder was removed");
  // A text without any of the model's symbols makes no sound.
  const isSilent = samples.length === 0;
  const shape = { ...NO_TIMBRE, speed: asked / own };
  const speech = isSilent ? samples : shapeSpeech(samples, sampleRate, shape, SPEECH_SAMPLE_RATE);
  const pause = samplesFor(pauseMs / speed, SPEECH_SAMPLE_RATE);
  const pcm = new Uint8Array((pause + speech.length) * 2);
  pcm.set(encodePcm16(speech), pause * 2);
  return { pcm, workMs: performance.now() - began };
}

const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function answer({ id, chunk }: SpeakMessage<VoiceChunk>): Promise<void> {
  const send = (message: SpokenMessage) => process.send?.(message);
  try {
    send({ id, ...(await speak(chunk)) });
  } catch (error) {
    const { code, message, cause } = isAppError(error)
      ? error
      : new AppError("upstream_error", "The local voice failed on this text.", {}, error);
    send({ id, error: { code, message, cause: textOf(cause) } });
  }
}

process.on("message", (message: SpeakMessage<VoiceChunk>) => void answer(message));
// A terminal and a service manager signal all processes of a group; the server lets running speech finish.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
// The server has ended.
process.on("disconnect", () => process.exit());
