import { parentPort, workerData } from "node:worker_threads";
import { isOutOfFiles, outOfFiles } from "../../errors";
import { detectLatinLanguage, type GuessLanguage, loadLanguageDetector } from "../../text/detect-language";
import { countScripts } from "../../text/scripts";
import { type Encode, loadEncoder } from "./encoder";
import type { EmbeddedMessage, EmbedMessage, SemanticWorkerData } from "./protocol";

// Set by pool.ts, so its type is known.
const { modelFolder } = workerData as SemanticWorkerData;

/** False when most letters are not Latin, or when the language detector is sure of another language. */
function isEnglish(opening: string, guess: GuessLanguage): boolean {
  const scripts = countScripts(opening);
  const letters = [...scripts.values()].reduce((sum, count) => sum + count, 0);
  if ((scripts.get("Latin") ?? 0) * 2 < letters) return false;
  return detectLatinLanguage(opening, "en", guess) === "en";
}

let loading: Promise<[Encode, GuessLanguage]> | null = null;

/** Embeds batches as they arrive; the pool sends one at a time. */
async function answer({ id, segments }: EmbedMessage): Promise<void> {
  try {
    loading ??= Promise.all([loadEncoder(modelFolder), loadLanguageDetector()]);
    const [encode, guess] = await loading;
    const vectors = await encode(segments.map((segment) => segment.ids));
    const notEnglish = segments.flatMap(({ opening }, position) =>
      opening === null || isEnglish(opening, guess) ? [] : [position],
    );
    // The numbers are transferred to the main thread, not copied.
    parentPort?.postMessage({ id, vectors, notEnglish } satisfies EmbeddedMessage, [
      vectors.buffer as ArrayBuffer, // never shared memory: loadEncoder allocated it
    ]);
  } catch (error) {
    const { code, message } = isOutOfFiles(error)
      ? outOfFiles()
      : { code: "upstream_error" as const, message: "The built-in embedding engine failed." };
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, error: { code, message, cause } } satisfies EmbeddedMessage);
    // A failed load leaves the model partly loaded in this thread: only a new thread can load it.
    process.exit();
  }
}

parentPort?.on("message", (message: EmbedMessage) => void answer(message));
