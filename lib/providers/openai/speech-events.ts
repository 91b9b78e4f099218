import { AppError } from "../../errors";
import type { SpeechUsage } from "../../ports/speech-model";
import { invalidAnswer, truncated } from "../outbound/failure";
import { asCount, asFields, asText } from "../outbound/json";
import { asBase64, decodedBase64, readJson } from "../outbound/long-json";
import { isDoneMark, serverSentEvents } from "../outbound/server-sent-events";
import { AudioReader } from "../upstream-audio/audio-reader";

/**
 * The samples of `speech.audio.delta` events. A stream without `speech.audio.done` (or `[DONE]`) was cut, whatever its
 * last bytes are.
 */
export async function* speechEventPcm(
  body: AsyncIterable<Uint8Array>,
  rawRate: number | null,
  counts: SpeechUsage,
): AsyncGenerator<Uint8Array> {
  const reader = new AudioReader(rawRate);
  let isWhole = false;
  for await (const { event, data } of serverSentEvents(body)) {
    if (isDoneMark(data)) {
      isWhole = true;
      continue;
    }
    const fields = asFields(await readJson(data));
    // A cut leaves half an event.
    if (fields === null) throw truncated();
    if (event === "error" || fields.error !== undefined) {
      throw new AppError("upstream_error", "The channel's upstream failed in the middle of its answer.");
    }
    const type = asText(fields.type) ?? event;
    if (type === "speech.audio.done") {
      const usage = asFields(fields.usage);
      counts.inputTokens = asCount(usage?.input_tokens);
      counts.outputTokens = asCount(usage?.output_tokens);
      isWhole = true;
      continue;
    }
    const audio = asBase64(fields.audio) ?? asBase64(fields.delta);
    if (type === "speech.audio.delta" && audio === null) throw invalidAnswer("an event without its audio");
    if (audio === null) continue;
    for await (const bytes of decodedBase64(audio)) yield reader.push(bytes);
  }
  if (!isWhole) throw truncated();
  yield reader.end();
}
