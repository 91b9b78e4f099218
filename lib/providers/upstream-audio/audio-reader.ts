import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { invalidAnswer } from "../outbound/failure";
import { SpeechSamples } from "./speech-samples";
import { WavReader } from "./wav-reader";

/** Signatures of file types that are not accepted; the first four bytes as Latin-1. */
const PACKED = /^(?:ID3|OggS|fLaC)/;
const MP3_FRAME = /^\xff[\xe2-\xff]/;
/** First bytes of JSON and HTML; speech begins near silence. */
const TEXT = /^(?:[{[]\s*["{]|<[!?a-zA-Z])[\x20-\x7e\s]{1,2}$/;

/** The sample rate in a media type (`audio/L16;codec=pcm;rate=24000`, `audio/pcm; rate=16000`). */
export function rateOf(mediaType: string): number | null {
  const [, rate] = /;\s*rate\s*=\s*"?(\d{1,6})\b/i.exec(mediaType) ?? [];
  return rate === undefined ? null : Number(rate);
}

/** Throws `upstream_invalid` for a media type that is neither raw samples nor WAV. */
export function checkAudioType(mediaType: string): void {
  const [type = ""] = mediaType.split(";");
  const isTaken =
    /^(?:|audio\/(?:l16|pcm|x-pcm|raw|basic-pcm|wav|x-wav|wave|vnd\.wave)|application\/octet-stream|binary\/octet-stream)$/i;
  if (isTaken.test(type.trim())) return;
  const isAudio = /^audio\//i.test(type.trim());
  throw invalidAnswer(isAudio ? "with compressed audio instead of PCM or WAV" : "without audio");
}

/**
 * Reads one stream of audio, raw s16le of `rawRate` or a WAV file (recognised by its first bytes, whatever was
 * requested), as 24 kHz mono s16le. Throws `upstream_invalid` for compressed audio and for text, `upstream_truncated`
 * at the end of an incomplete file.
 */
export class AudioReader {
  readonly #rawRate: number;
  readonly #mayBeMp3: boolean;
  #head: Uint8Array = new Uint8Array();
  #wav: WavReader | null = null;
  #samples: SpeechSamples | null = null;
  #isRecognized = false;

  /** `rawRate` null: 24 kHz. `mayBeMp3`: the media type says so, which some upstreams send for raw samples too. */
  constructor(rawRate: number | null, mayBeMp3 = false) {
    this.#mayBeMp3 = mayBeMp3;
    this.#rawRate = rawRate ?? SPEECH_SAMPLE_RATE;
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.#isRecognized) return this.#convert(bytes);
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (this.#head.length < 4) return new Uint8Array();
    const head = this.#head;
    this.#recognize();
    // Release the first piece: it is 16 KiB, and the reader lives as long as the stream.
    this.#head = new Uint8Array();
    return this.#convert(head);
  }

  end(): Uint8Array {
    const early = this.#isRecognized || this.#head.length === 0 ? new Uint8Array() : this.#flushHead();
    this.#wav?.end();
    const late = this.#samples?.end() ?? new Uint8Array();
    return early.length === 0 ? late : Buffer.concat([early, late]);
  }

  #flushHead(): Uint8Array {
    this.#recognize();
    return this.#convert(this.#head);
  }

  #recognize(): void {
    this.#isRecognized = true;
    const mark = Buffer.from(this.#head.subarray(0, 4)).toString("latin1");
    if (PACKED.test(mark) || (this.#mayBeMp3 && MP3_FRAME.test(mark)))
      throw invalidAnswer("with compressed audio instead of PCM or WAV");
    if (TEXT.test(mark)) throw invalidAnswer("without audio");
    if (mark === "RIFF") this.#wav = new WavReader();
    else this.#samples = new SpeechSamples({ rate: this.#rawRate, channels: 1, encoding: "s16" });
  }

  #convert(bytes: Uint8Array): Uint8Array {
    if (this.#wav === null) return this.#samples?.push(bytes) ?? new Uint8Array();
    const data = this.#wav.push(bytes);
    const { shape } = this.#wav;
    if (shape === null) return new Uint8Array();
    this.#samples ??= new SpeechSamples(shape);
    return this.#samples.push(data);
  }
}
