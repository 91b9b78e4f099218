import type { EmbeddingResult } from "../../ports/embedding-model";
import type { CallOptions } from "../../ports/speech-model";
import { StopSource, stopReason } from "../../ports/stop-signal";

/** Concurrent upstream calls of one request. */
const CONCURRENCY = 4;

/**
 * Embeds texts in as many calls as the upstream's limit requires, a few at once; the first failure ends the others.
 * Token counts add up; one call without a count makes the sum unknown.
 */
export async function inBatches(
  texts: readonly string[],
  maxTexts: number,
  options: CallOptions,
  embed: (texts: readonly string[], options: CallOptions) => Promise<EmbeddingResult>,
): Promise<EmbeddingResult> {
  if (texts.length <= maxTexts) return embed(texts, options);
  const batches: (readonly string[])[] = [];
  for (let at = 0; at < texts.length; at += maxTexts) batches.push(texts.slice(at, at + maxTexts));
  if (options.signal.aborted) throw stopReason(options.signal);
  const signal = new StopSource();
  const stop = (): void => signal.abort(stopReason(options.signal));
  options.signal.addEventListener("abort", stop, { once: true });
  const results = new Array<EmbeddingResult>(batches.length);
  const queue = batches.entries();

  const work = async (): Promise<void> => {
    for (const [at, batch] of queue) results[at] = await embed(batch, { ...options, signal });
  };
  try {
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, batches.length) }, work));
  } catch (error) {
    signal.abort(error);
    throw error;
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
  return {
    vectors: results.flatMap(({ vectors }) => vectors),
    inputTokens: results.reduce<number | null>(
      (sum, { inputTokens }) => (sum === null || inputTokens === null ? null : sum + inputTokens),
      0,
    ),
  };
}
