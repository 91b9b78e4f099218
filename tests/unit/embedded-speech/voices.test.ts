import { beforeAll, describe, expect, it, vi } from "vitest";
import { loadOnce, speakChunk } from "../../../lib/providers/embedded-speech/speak-chunk";
import { TIMBRES } from "../../../lib/providers/embedded-speech/timbres";
import { EMBEDDED_VOICES } from "../../../lib/providers/embedded-speech/voices";
import {
  decodePcm16,
  envelopeDistance,
  medianPitch,
  peak,
  rmsDb,
  spectralEnvelope,
} from "../../support/measure-audio";

const RATE = 24_000;
const GEMINI =
  "Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina " +
  "Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi " +
  "Vindemiatrix Sadachbia Sadaltager Sulafat";
const OPENAI = "alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar";

/** flite speaks English, espeak-ng the others. The tones of Chinese change the median pitch. */
const SENTENCES = [
  {
    language: "en",
    text: "The morning train was late again, so we walked along the river.",
    words: 12,
  },
  {
    language: "de",
    text: "Der Morgenzug war wieder verspätet, also gingen wir am Fluss entlang.",
    words: 11,
  },
  // Twenty-one syllables, about fourteen words.
  { language: "zh", text: "今天早上的火车又晚点了，所以我们沿着河边散步。", words: 14 },
];

interface Measured {
  name: string;
  seconds: number;
  hertz: number;
  decibels: number;
  peak: number;
  envelope: number[];
}

async function measure(name: string, language: string, text: string): Promise<Measured> {
  const pcm = await speakChunk({ text, language, context: text, voice: name, speed: 1, pauseMs: 0 });
  const samples = decodePcm16(new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2));
  return {
    name,
    seconds: samples.length / RATE,
    hertz: medianPitch(samples, RATE),
    decibels: rmsDb(samples),
    peak: peak(samples),
    envelope: spectralEnvelope(samples, RATE),
  };
}

function findSimilarPairs(voices: readonly Measured[]): { pairs: number; similar: string[] } {
  let pairs = 0;
  const similar: string[] = [];
  voices.forEach((a, i) => {
    for (const b of voices.slice(i + 1)) {
      pairs++;
      const semitones = Math.abs(12 * Math.log2(a.hertz / b.hertz));
      const decibels = envelopeDistance(a.envelope, b.envelope);
      if (semitones < 1 && decibels < 2) similar.push(`${a.name}/${b.name} ${semitones} ${decibels}`);
    }
  });
  return { pairs, similar };
}

it("offers the 30 names of Gemini and the 13 of OpenAI, each with a timbre", () => {
  const names = EMBEDDED_VOICES.map((voice) => voice.name);
  expect(names).toEqual([...GEMINI.split(" "), ...OPENAI.split(" ")]);
  expect([...TIMBRES.keys()].sort()).toEqual([...names].sort());
});

describe.each(SENTENCES)("the 43 voices in $language", ({ language, text, words }) => {
  const voices: Measured[] = [];
  beforeAll(async () => {
    for (const { name } of EMBEDDED_VOICES) voices.push(await measure(name, language, text));
  }, 300_000);

  it("differ in all 903 pairs by a semitone of median pitch or by 2 dB of spectral envelope", () => {
    expect(findSimilarPairs(voices)).toEqual({ pairs: 903, similar: [] });
  });

  it("are equally loud within 2 dB and never clip", () => {
    const levels = voices.map((voice) => voice.decibels);
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(2);
    expect(voices.filter((voice) => voice.peak > 0.99)).toEqual([]);
  });

  it("speak 150 to 230 words per minute", () => {
    const paces = voices.map((voice) => words / (voice.seconds / 60));
    expect(Math.min(...paces)).toBeGreaterThan(150);
    expect(Math.max(...paces)).toBeLessThan(230);
  });
});

it("has no male voice more than a semitone above the lowest female one", () => {
  const pitches = (gender: string) =>
    EMBEDDED_VOICES.filter((voice) => voice.gender === gender).map(
      (voice) => TIMBRES.get(voice.name)?.pitchHz ?? Number.NaN,
    );
  expect(Math.max(...pitches("male"))).toBeLessThan(Math.min(...pitches("female")) * 2 ** (1 / 12));
});

// espeak-ng's output varies randomly: two renderings of the same sentence differ by about 1 %.
it.each([
  ["Kore", "en", 0.03, [0.25, 0.5, 2, 4]],
  ["Orus", "en", 0.03, [0.25, 0.5, 2, 4]],
  ["Schedar", "en", 0.03, [0.25, 0.5, 2, 4]],
  ["Puck", "de", 0.05, [0.5, 2]],
] as const)(
  "the voice %s keeps its pitch at other speeds (%s)",
  async (voice, language, most, speeds) => {
    const text = SENTENCES.find((sentence) => sentence.language === language)?.text ?? "";
    const at = async (speed: number) => {
      const pcm = await speakChunk({ text, language, context: text, voice, speed, pauseMs: 0 });
      const samples = decodePcm16(new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2));
      return { hertz: medianPitch(samples, RATE), seconds: samples.length / RATE };
    };
    const natural = await at(1);
    for (const speed of speeds) {
      const { hertz, seconds } = await at(speed);
      expect(Math.abs(hertz / natural.hertz - 1), `pitch at ${speed}`).toBeLessThan(most);
      expect(Math.abs((seconds * speed) / natural.seconds - 1), `time at ${speed}`).toBeLessThan(0.1);
    }
  },
  120_000,
);

it("loads an engine again after a failure, and only once after a success", async () => {
  const results = [Promise.reject(new Error("EIO")), Promise.resolve("engine")];
  const load = vi.fn(() => results.shift() ?? Promise.reject(new Error("loaded again")));
  const engine = loadOnce(load);
  await expect(engine()).rejects.toThrow("EIO");
  expect(await engine()).toBe("engine");
  expect(await engine()).toBe("engine");
  expect(load).toHaveBeenCalledTimes(2);
});
