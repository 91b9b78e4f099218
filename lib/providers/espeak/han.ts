import { memoizeByCharacter } from "../../text/by-character";

/**
 * espeak-ng's Mandarin knows the ideographs of Unicode 1.1 (and 〇) but lacks the syllables jiong, qiong and xiong: it
 * spells their pinyin in English. They are replaced by two characters that sound the same together.
 */
const RESPELLED: readonly (readonly [characters: string, spoken: string])[] = [
  ["兄兇凶匈哅忷恟汹洶胷胸訩詾讻賯", "西拥"],
  ["熊赨雄", "西颙"],
  ["夐敻詗诇", "西用"],
  ["匔焪芎", "七拥"],
  ["儝卭宆惸桏棾橩焭煢琼瓊睘瞏穷穹窮竆笻筇茕藑藭蛩赹跫輁邛銎", "七颙"],
  ["冂冋坰埛扃蘏蘔駫", "鸡拥"],
  ["侰僒冏囧幜泂炯烱煚煛熲皛窘絅綗褧迥逈顈颎駉", "鸡永"],
  ["澃", "鸡用"],
  ["兒", "儿"],
];

const SPOKEN = new Map(RESPELLED.flatMap(([characters, spoken]) => [...characters].map((c) => [c, spoken])));

/**
 * 儿 is a syllable of its own only after these; elsewhere it is erhua, which the engine's word list spells in English.
 */
const ERHUA = /(?<=\p{Script=Han})(?<![女幼婴孤少健男小宠产胎])儿(?![子童女科歌戏])/gu;

/** The first ideograph of a text that espeak-ng spells out as a number; null when it reads all of them. */
function unreadableIn(text: string): string | null {
  for (const character of text.normalize("NFKC")) {
    if (!/\p{Script=Han}/u.test(character) || character === "〇" || character === "々") continue;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x4e00 || code > 0x9fa5) return character;
  }
  return null;
}

/** Character by character: the compatibility form of a whole text may be eighteen times as long. */
const isUnreadable = memoizeByCharacter((character) => unreadableIn(character) !== null);

/**
 * The first character of a text that espeak-ng cannot read and spells out as a number; null when it reads all of them.
 */
export function findUnreadableHan(text: string): string | null {
  for (const character of text) if (isUnreadable(character)) return unreadableIn(character);
  return null;
}

const CURRENCIES: Readonly<Record<string, string>> = {
  "¥": "元",
  "￥": "元",
  $: "美元",
  "€": "欧元",
  "£": "英镑",
};
const AMOUNT = "((?:\\d{1,3}(?:,\\d{3}){1,5}|\\d{1,15})(?:\\.\\d{1,9})?)";
/** A price; not of another currency (HK$), in front of the currency's name (¥100元), or in a range. */
const PRICE = new RegExp(
  `(?<![A-Za-z])([¥￥$€£]) ?${AMOUNT}([百千万亿]{0,4})(?![百千万亿元块美欧英\\d]|[.,-]\\d)`,
  "gu",
);
const PERCENT = new RegExp(`(?<![\\d.,])([-−]?)${AMOUNT}[%％]`, "gu");
/** A range of measures, or with a tilde: "3-1" is a score or a figure's number. */
const RANGE =
  /(?<=[\d%])~(?=[-−]?\d)|(?<=(?<![\w.-])\d{1,4}(?:\.\d{1,9})?%?)[-–](?=\d{1,4}(?:\.\d{1,9})?(?:[%℃°天年周岁次倍米度万元]|个|小时|分钟|公里|公斤))/gu;

/** Signs beside numbers that espeak-ng skips or reads in English, in words. */
function spellSigns(text: string): string {
  return text
    .replace(/[０-９．／－～％]/gu, (wide) => wide.normalize("NFKC"))
    .replace(
      PRICE,
      (_, sign: string, amount: string, scale: string) => amount + scale + (CURRENCIES[sign] ?? ""),
    )
    .replace(RANGE, "到")
    .replace(PERCENT, (_, minus: string, amount: string) => `${minus && "负"}百分之${amount}`)
    .replace(/(?<![\d./])(\d{1,3})\/(\d{1,3})(?![\d./])/gu, (whole, part: string, parts: string) =>
      Number(part) < Number(parts) ? `${parts}分之${part}` : whole,
    )
    .replace(
      /(?<=^|[\s(（:：=到，,；;、。])[-−](?=\d)(?!\d{1,4}[年月日])|(?<!\w)[-−](?=\d{1,9}(?:\.\d{1,9})?(?:[度°℃万亿元]|百分))/gu,
      "负",
    )
    .replace(/℃|°C/gu, "摄氏度")
    .replace(/℉|°F/gu, "华氏度");
}

/** Chinese text in a form that espeak-ng reads correctly. */
export function respellHan(text: string): string {
  // `spellSigns` comes before NFKC, which turns a full-width comma into one that separates thousands.
  return spellSigns(text)
    .normalize("NFKC")
    .replace(/(\p{Script=Han})々/gu, "$1$1")
    .replaceAll("々", "")
    .replace(ERHUA, " 儿")
    .replace(/\p{Script=Han}/gu, (character) => SPOKEN.get(character) ?? character);
}

const SMALL_VOWELS = "ぁぃぅぇぉゎァィゥェォヮ";
/** Small kana that espeak-ng spells in English ("Japanese letter"): always, and without a syllable before them. */
const ALWAYS_GROWN = pairUp(
  "ゕゖヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ",
  "かけカケクシストヌハヒフヘホムラリルレロ",
);
const GROWN_ALONE = pairUp(SMALL_VOWELS, "あいうえおわアイウエオワ");
const BARE_SMALL_VOWEL = new RegExp(
  `(?<![ぁ-ゖァ-ヺー])[${SMALL_VOWELS}]|(?<=[っッ${SMALL_VOWELS}])[${SMALL_VOWELS}]`,
  "gu",
);

/**
 * Japanese kana in a form that espeak-ng reads: full width; small kana, long and repeat marks only after a syllable.
 */
export function respellKana(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/ ?[\u3099\u309a]/gu, "")
    .replace(/(?<=[ぁ-ゖァ-ヺ])[〜~]/gu, "ー")
    .replace(/([ぁ-ゖァ-ヺ])[ゝヽゞヾ]/gu, "$1$1")
    .replace(/[ゕゖヵヶㇰ-ㇿ]/gu, (kana) => ALWAYS_GROWN.get(kana) ?? kana)
    .replace(BARE_SMALL_VOWEL, (kana) => GROWN_ALONE.get(kana) ?? kana)
    .replace(/(?<![ぁ-ゖァ-ヺー])ー+|(?<=[っッんン])ー+/gu, "")
    .replace(/[ゝヽゞヾ・〜]/gu, " ");
}

function pairUp(from: string, to: string): ReadonlyMap<string, string> {
  const ends = [...to];
  return new Map([...from].map((character, index) => [character, ends[index] ?? character]));
}
