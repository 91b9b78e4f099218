import { type Unit, unitsOf } from "./fold";
import { addFeature, DIMENSIONS, hashOf, step, unitVector } from "./sketch";

/** The most frequent function words, accents folded: they say little about a text's subject. */
const STOP_WORDS_BY_LANGUAGE = {
  en: "a about all also am an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it its just me my no not of on or our she so some than that the their them then there these they this to too up us was we were what when where which who why will with would you your",
  es: "al algo como con cual cuando de del desde donde e el ella ellos en era es esa ese esta estan este esto ha han hay la las le les lo los mas me mi muy no nos o para pero por porque que quien se ser si sin sobre son su sus tambien te tiene todo tu un una uno y ya yo",
  fr: "a ai au aux avec ce ces cette comme d dans de des du elle elles en est et etait eu il ils j je l la le les leur lui ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas plus pour qu quand que qui s sa sans se ses son sont sur ta te tes ton tout tres tu un une vos votre vous y",
  de: "aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser doch du durch ein eine einem einen einer eines er es fur hat habe haben ich ihr ihre im in ist ja kann man mehr mein mich mir mit nach nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so uber um und uns unter vom von vor war waren was wenn wer werden wie wir wird wo zu zum zur",
  it: "a ai al alla alle anche c che chi ci come con da dal dalla de degli dei del della delle di e ed era gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio molto ne nel nella noi non o per perche piu qual quando quella questa questo se si sono su sua suo ti tra tu tutti un una uno vi",
  pt: "a ao aos as ate com como da das de dela dele do dos e ela ele eles em entre era essa esse esta este eu foi ha isso isto ja la lhe mais mas me meu minha muito na nao nas nem no nos o os ou para pela pelo por porque qual quando que quem se sem ser seu sua sao so tambem te tem um uma voce",
  nl: "aan al als bij dan dat de der deze die dit doch door dus een en er ge geen haar had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan maar me meer men met mij mijn na naar niet nog nu of om omdat ons ook op over te tot uit u van veel voor want was wat we wel werd wie wij wil worden zal ze zei zich zij zijn zo zou",
  pl: "a ale bo byc byl byla co czy dla do go i ich ja jak jako je jego jej jest juz ktora ktore ktory ma mi mnie moze na nad nie o od on ona oni po pod przez przy sa sie tak tam te tego tej ten to tu ty w we wszystko z za ze",
  ru: "а бы был была было в вам вас во вот все всё вы да для до его ее если есть еще же за и из или им их к как ко когда кто ли мне мы на над нас не него нее нет ни но ну о об он она они от по под при с со так там то тоже только ты у уже что чтобы эта эти это этот я",
  tr: "ama bana ben bir biz bu cok da daha de en gibi hem her icin ile ise ki mi mu ne nasil o olan olarak sen siz su ve veya ya",
} as const;

const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(STOP_WORDS_BY_LANGUAGE).flatMap((words) => words.split(" ")),
);

/** Seeds separate features of different kinds: the word "cat" and the letters c-a-t are two features. */
const SEED = {
  word: 0x2f9be6cc,
  accented: 0x51ed270b,
  pair: 0x1b873593,
  letters: 0x7a1c3d4f,
  blank: 0x0badcafe,
};

const STOP_WEIGHT = 0.12;
const SYMBOL_WEIGHT = 0.5;
const PUNCTUATION_WEIGHT = 0.02;
/**
 * Shares of a word's weight: the word, its accented spelling, its letter groups together, the pair with the previous
 * word.
 */
const WORD_SHARE = 0.75;
const ACCENTED_SHARE = 0.35;
const LETTERS_SHARE = 1;
const PAIR_SHARE = 0.4;
const EDGE = 0x02;
/** Letters of a word from which groups are made; longer words are codes. */
const MAX_SPELT_LETTERS = 128;
/** Features per step: about a millisecond's work. */
const FEATURES_PER_STEP = 20_000;
/** Characters per step in scripts without spaces: three features each. */
const CHARACTERS_PER_STEP = 6_000;

/** Letter groups of three to five with the word's edges; the squares of their weights sum to `weight²`. */
function addLetterGroups(sums: Float64Array, whole: string, weight: number): void {
  const word = whole.length > MAX_SPELT_LETTERS ? whole.slice(0, MAX_SPELT_LETTERS) : whole;
  const last = word.length + 1;
  const groups = Math.max(1, 3 * last - 6);
  const each = weight / Math.sqrt(groups);
  for (let start = 0; start <= last - 2; start++) {
    let hash = SEED.letters;
    for (let length = 1; length <= 5 && start + length - 1 <= last; length++) {
      const at = start + length - 1;
      hash = step(hash, at === 0 || at === last ? EDGE : word.charCodeAt(at - 1));
      if (length >= 3) addFeature(sums, hash, each);
    }
  }
}

/** Characters, pairs and triples of a script without spaces. */
function* addRun(sums: Float64Array, run: string, weight: number): Generator<void, void, void> {
  const characters = [...run];
  for (let i = 0; i < characters.length; i++) {
    if (i % CHARACTERS_PER_STEP === CHARACTERS_PER_STEP - 1) yield;
    let hash = SEED.word;
    for (let length = 1; length <= 3 && i + length <= characters.length; length++) {
      hash = hashOf(characters[i + length - 1] ?? "", hash);
      addFeature(sums, hash, weight * (length === 1 ? 0.5 : length === 2 ? 0.8 : 0.5));
    }
  }
}

function weightOf(unit: Unit): number {
  switch (unit.kind) {
    case "word":
      if (STOP_WORDS.has(unit.folded)) return STOP_WEIGHT;
      return unit.folded.length <= 2 ? 0.6 : 1;
    case "dense":
      return 0.7;
    case "symbol":
      return SYMBOL_WEIGHT;
    case "punctuation":
      return PUNCTUATION_WEIGHT;
  }
}

function* addUnit(sums: Float64Array, unit: Unit, weight: number): Generator<void, void, void> {
  if (unit.kind === "dense") return yield* addRun(sums, unit.folded, weight);
  addFeature(sums, hashOf(unit.folded, SEED.word), weight * WORD_SHARE);
  if (unit.kind !== "word") return;
  if (unit.accented !== null) addFeature(sums, hashOf(unit.accented, SEED.accented), weight * ACCENTED_SHARE);
  addLetterGroups(sums, unit.folded, weight * LETTERS_SHARE);
}

interface Count {
  unit: Unit;
  times: number;
}

/** The approximate number of features of a unit. */
function sizeOf(unit: Unit): number {
  return 2 + 3 * Math.min(unit.folded.length, unit.kind === "dense" ? unit.folded.length : MAX_SPELT_LETTERS);
}

/**
 * Adds a text to `sums`, in steps, so that the caller can yield between them. A word that occurs n times counts √n
 * times (sublinear).
 */
export function* addText(text: string, sums: Float64Array): Generator<void, void, void> {
  const counts = new Map<string, Count>();
  const pairs = new Map<number, { weight: number; times: number }>();
  let before: { hash: number; weight: number } | null = null;
  let work = 0;
  for (const unit of unitsOf(text)) {
    const key = unit.accented ?? unit.folded;
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { unit, times: 1 });
    else count.times += 1;
    // Counting a unit costs about as much as a few features.
    work += 8;
    if (work >= FEATURES_PER_STEP) {
      yield;
      work = 0;
    }
    if (unit.kind !== "word") continue;
    const here = { hash: hashOf(unit.folded, SEED.pair), weight: weightOf(unit) };
    if (before !== null) {
      const hash = step(Math.imul(before.hash, 31), here.hash);
      const pair = pairs.get(hash);
      if (pair === undefined) pairs.set(hash, { weight: Math.sqrt(before.weight * here.weight), times: 1 });
      else pair.times += 1;
    }
    before = here;
  }
  for (const { unit, times } of counts.values()) {
    yield* addUnit(sums, unit, weightOf(unit) * Math.sqrt(times));
    work += sizeOf(unit);
    if (work >= FEATURES_PER_STEP) {
      yield;
      work = 0;
    }
  }
  for (const [hash, { weight, times }] of pairs) {
    addFeature(sums, hash, weight * PAIR_SHARE * Math.sqrt(times));
    if (++work >= FEATURES_PER_STEP) {
      yield;
      work = 0;
    }
  }
  // A text of only white space gets a fixed direction of its own.
  if (counts.size === 0) addFeature(sums, SEED.blank, 1);
}

/**
 * The vector of one text, with length 1 and `dimensions` numbers. Roots, sums and products are exact or correctly
 * rounded, so every machine computes the same bits.
 */
export function embedText(
  text: string,
  dimensions: number,
  sums: Float64Array = new Float64Array(DIMENSIONS),
): Float32Array {
  sums.fill(0);
  const steps = addText(text, sums);
  while (!steps.next().done);
  return unitVector(sums, dimensions);
}
