import { describe, expect, it } from "vitest";
import { planSpeech } from "../../../lib/providers/embedded-speech/plan";
import { respell, speakChunk } from "../../../lib/providers/embedded-speech/speak-chunk";
import { findUnreadableHan, respellHan, respellKana } from "../../../lib/providers/espeak/han";
import { baseLanguage, espeakVoice } from "../../../lib/providers/espeak/languages";
import { loadEspeak } from "../../../lib/providers/espeak/speak";
import { toFliteText } from "../../../lib/providers/flite/speak";
import { decodePcm16, rmsDb } from "../../support/measure-audio";
import { SENTENCES } from "../../support/sentences";
import { runSteps } from "../../support/steps";

const RATE = 24_000;

async function speak(text: string, language?: string): Promise<Float32Array> {
  const request = { model: "patchbay-speech", segments: [{ text, voice: "Kore" }], speed: 1, language };
  const chunks = runSteps(planSpeech(request, { isTight: () => false }));
  const parts: Float32Array[] = [];
  for (let next = chunks.next(); !next.done; next = chunks.next()) {
    if (next.value === null) continue;
    const pcm = await speakChunk(next.value);
    parts.push(decodePcm16(new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2)));
  }
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

describe.each(Object.keys(SENTENCES))("speech in '%s'", (language) => {
  const text = SENTENCES[language]?.[0] ?? "";

  it("lasts 1.2 to 5 seconds and is audible, with the language detected or given", async () => {
    const detected = await speak(text);
    const given = await speak(text, language);
    for (const samples of [detected, given]) {
      expect(rmsDb(samples)).toBeGreaterThan(-26);
      expect(samples.length / RATE).toBeGreaterThan(1.2);
      expect(samples.length / RATE).toBeLessThan(5);
    }
    // The same engine, voice and language: the same length, except for random differences of the trimmed edges.
    expect(Math.abs(detected.length - given.length)).toBeLessThan(RATE / 8);
  });
});

it.each([
  ["zh", "价格¥50，$1,200万", "价格50元,1,200万美元"],
  ["zh", "25℃，增长50％，占1/2", "25摄氏度,增长百分之50,占2分之1"],
  [
    "zh",
    "3-5天，3%~5%，气温-5度，利润-5%，1,200%",
    "3到5天,百分之3到百分之5,气温负5度,利润负百分之5,百分之1,200",
  ],
  ["zh", "2024-05-01，010-1234，1/2/3，COVID-19", "2024-05-01,010-1234,1/2/3,COVID-19"],
  ["zh", "图3-1，10-5=5，嫦娥-5号，2024-11月，24/7，$5-10", "图3-1,10-5=5,嫦娥-5号,2024-11月,24/7,$5-10"],
  ["zh", "HK$50，¥100元，¥50，100个", "HK$50,¥100元,50元,100个"],
  ["fr", "Il fait -5 degrés, de 5%-10%, 10 -20", "Il fait −5 degrés, de 5%-10%, 10 -20"],
  ["pt", "Faz −5 graus", "Faz menos 5 graus"],
  ["fr", "-5 degrés, «-5», x=-5", "−5 degrés, «−5», x=−5"],
  ["pt", "10−5", "10 menos 5"],
  ["ja", "-5ど", "−5ど"],
  ["zh", "-5，温度为 -5，利润-500万，-10~-5℃", "负5,温度为 负5,利润负500万,负10到负5摄氏度"],
  ["zh", "-2024年完成", "-2024年完成"],
  ["zh", "１００％，５～１０天，￥１００，１／２", "百分之100,5到10天,100元,2分之1"],
])("spells signs beside numbers in '%s': %s", (language, text, spelled) => {
  expect(respell(text, language)).toBe(spelled);
});

it("speaks another language differently from English", async () => {
  const english = await speak("Die alte Katze schläft.", "en");
  const german = await speak("Die alte Katze schläft.", "de");
  expect(Math.abs(english.length - german.length)).toBeGreaterThan(RATE / 50);
});

const engine = await loadEspeak();

describe("espeak-ng", () => {
  const seconds = (text: string, language: string) => {
    const { samples, rate } = engine.speak({ text, language, variant: "m3", pitchHz: 107, speed: 1 });
    return samples.length / rate;
  };
  // espeak-ng spells an unknown character as "Chinese letter" and a code, which takes more than a second; a syllable
  // takes a third of a second.
  const SPELLED = 1;

  it("speaks ideographs without spelling them: every 53rd and all that are respelled", () => {
    const spelled: string[] = [];
    const respelled = "兄兇凶匈忷恟汹洶胷胸熊雄夐詗芎惸瓊琼穷穹窮邛冂冋坰囧窘迥颎兒儿";
    const every = Array.from({ length: 394 }, (_, i) => String.fromCodePoint(0x4e00 + i * 53));
    for (const character of [...every, ...respelled]) {
      expect(findUnreadableHan(character)).toBeNull();
      if (seconds(respellHan(character), "zh") > SPELLED) spelled.push(character);
    }
    expect(spelled).toEqual([]);
    expect(seconds("\u{2000b}", "zh")).toBeGreaterThan(SPELLED);
    expect(findUnreadableHan("\u{2000b}")).toBe("\u{2000b}");
  });

  it("speaks kana without spelling them, including small ones alone or in a row", () => {
    const kana = Array.from({ length: 0xb6 }, (_, i) => String.fromCodePoint(0x3041 + i)).filter(
      (character) => /[ぁ-ゖァ-ヺ]/u.test(character),
    );
    const texts = [...kana, ..."ㇰㇱㇿｱｬｯ", "ぁぁ", "ァー", "っぁ", "んー", "か゛", "わ〜い"];
    const SPELLED_KANA = 0.8;
    expect(texts.filter((text) => seconds(respellKana(text), "ja") > SPELLED_KANA)).toEqual([]);
    expect(seconds("ぁ", "ja")).toBeGreaterThan(SPELLED_KANA);
  });
});

it.each([
  ["en-GB", "en"],
  ["zh-Hans-CN", "zh"],
  ["zh-Hant-HK", "yue"],
  ["no", "nb"],
  ["PT-br", "pt"],
])("maps the language tag %s to %s", (tag, base) => {
  expect(baseLanguage(tag)).toBe(base);
});

it("uses the regional voice where espeak-ng has one", () => {
  expect(espeakVoice("pt")).toBe("pt-br");
  expect(espeakVoice("pt-PT")).toBe("pt");
  expect(espeakVoice("es-MX")).toBe("es-419");
  expect(espeakVoice("th")).toBeNull();
});

it.each([
  ["“Naïve” café — 5 €", '"Naive" cafe, 5 euros'],
  ["Łódź, Ærø", "Lodz, Aero"],
  ["१२٣", "123"],
  ["𝐇𝐞𝐥𝐥𝐨", "Hello"],
  ["−5 °C, 5 ≤ 6", "minus 5 degrees C, 5 at most 6"],
  ["Add 2½ cups, or ¼", "Add 2 and 1/2 cups, or 1/4"],
  ["10² m², 10⁻⁶, Smith², a note¹", "10 squared m squared, 10 to the power of minus 6, Smith2, a note1"],
  ["5 µg, 3μm, µ", "5 micrograms, 3 micrometers, micro"],
  ["Pages 10–20, 1914–1918 – war", "Pages 10-20, 1914-1918, war"],
  ["Tom & Jerry, AT&T", "Tom and Jerry, AT and T"],
  ["€12.50, £1, €1.05, ₹500, 50¢", "12 euros 50, 1 pound, 1 euro 05, 500 rupees, 50 cents"],
  ["€5 million, £3.5 bn, £5.00, ¥1,000", "5 million euros, 3.5 billion pounds, 5 pounds, 1,000 yen"],
  ["It costs 50€ 3 times; 10€ 20€", "It costs 50 euros 3 times; 10 euros 20 euros"],
  [
    "€1 million-plus, €10-€20, £5 m wide, £2M",
    "euros 1 million-plus, 10 euros-20 euros, 5 pounds m wide, 2 million pounds",
  ],
  ["£50-a-week, €1,50, €10–20, £5kg", "pounds 50-a-week, euros 1,50, euros 10-20, pounds 5kg"],
])("converts %s for flite to %s", (text, ascii) => {
  expect(toFliteText(text).replaceAll(" ,", ",")).toBe(ascii);
});
