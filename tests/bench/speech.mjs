/** The speech engines: real-time factor of each voice, and time to first audio. Asserts nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const ENGLISH =
  "The old lighthouse keeper climbed the narrow stairs every evening to light the lamp before the first ships came home.";
const FOREIGN = {
  de: "Der alte Leuchtturmwärter stieg jeden Abend die enge Treppe hinauf, um vor den ersten Schiffen die große Lampe anzuzünden und zu putzen.",
  es: "El viejo farero subía cada noche la estrecha escalera para encender la gran lámpara antes de que llegaran los primeros barcos.",
  zh: "老灯塔看守人每天晚上都爬上狭窄的楼梯，在第一批船回来之前点亮那盏大灯。",
  hi: "बूढ़ा प्रहरी हर शाम पहली नावों के लौटने से पहले दीपक जलाने के लिए सँकरी सीढ़ियाँ चढ़ता था।",
};
const BYTES_PER_SECOND = 48_000;
const ROUNDS = 5;

/** Bundles the engine and its worker's function inside the project, so that the engines' packages are found. */
async function loadEngine() {
  const folder = mkdtempSync(path.join(".next", "patchbay", "bench-"));
  const outfile = path.join(folder, "speech.mjs");
  await build({
    stdin: {
      contents: `export { speakChunk } from "./lib/providers/embedded-speech/speak-chunk";
        export { createEmbeddedSpeech } from "./lib/providers/embedded-speech/create";
        export { createLocalVoices } from "./lib/providers/local-voices/create";
        export { TIMBRES } from "./lib/providers/embedded-speech/timbres";`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "error",
  });
  const engine = await import(pathToFileURL(path.resolve(outfile)).href);
  rmSync(folder, { recursive: true });
  return engine;
}

/** Seconds of 24 kHz speech per second of CPU time and of wall time. */
async function timesRealTime(speakChunk, chunk) {
  for (let round = 0; round < 3; round++) await speakChunk(chunk);
  let bytes = 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round++) bytes += (await speakChunk(chunk)).length;
  const wallSeconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = bytes / BYTES_PER_SECOND;
  return { core: seconds / ((user + system) / 1e6), wall: seconds / wallSeconds };
}

function printLine(name, cells) {
  console.log(`${name.padEnd(30)}${cells.map((cell) => cell.padStart(14)).join("")}`);
}

async function benchEngines({ speakChunk, TIMBRES }) {
  const chunk = (text, language, voice) => ({ text, language, context: text, voice, speed: 1, pauseMs: 0 });
  const byBase = new Map();
  for (const [voice, timbre] of TIMBRES) {
    const row = await timesRealTime(speakChunk, chunk(ENGLISH, "en", voice));
    byBase.set(timbre.flite, [...(byBase.get(timbre.flite) ?? []), { voice, ...row }]);
  }
  const line = (name, rows) => {
    const slowest = rows.reduce((a, b) => (b.core < a.core ? b : a));
    const mean = rows.reduce((sum, row) => sum + row.core, 0) / rows.length;
    const figures = [mean, slowest.core, slowest.wall].map((value) => value.toFixed(0));
    printLine(name, [...figures, slowest.voice]);
  };
  console.log("\nSpeech, a sentence of 20 words, shaped, at 24 kHz: real-time factor of one core");
  printLine("", ["mean", "slowest", "wall time", "slowest is"]);
  for (const [base, rows] of byBase) line(`flite ${base} (${rows.length} voices)`, rows);
  for (const [language, text] of Object.entries(FOREIGN)) {
    const rows = [];
    for (const voice of ["Kore", "Puck", "Zephyr", "onyx"]) {
      rows.push({ voice, ...(await timesRealTime(speakChunk, chunk(text, language, voice))) });
    }
    line(`espeak-ng ${language} (4 voices)`, rows);
  }
}

/** Wall and CPU milliseconds until the first audio; the reader then leaves, and the function waits until the worker is free. */
async function firstSound(speech, text) {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const call = speech
    .synthesize(
      { model: "patchbay-speech", segments: [{ text, voice: "Kore" }], speed: 1 },
      { signal: new AbortController().signal, requestId: "bench", firstByteBy: startedAt + 60_000 },
    )
    [Symbol.asyncIterator]();
  await call.next();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  await call.return();
  while (speech.stats().busy > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return { ms, cpuMs: (user + system) / 1000 };
}

async function benchFirstSound({ createEmbeddedSpeech }) {
  const speech = createEmbeddedSpeech({
    workerFile: pathToFileURL(path.resolve(".next/patchbay/workers/speech.mjs")),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    maxWorkers: 1,
  });
  const texts = {
    "4 words": "The kettle is on.",
    "20 words": ENGLISH,
    "32,000 characters": `${ENGLISH} `.repeat(300).slice(0, 32_000),
    "the same without a full stop": "and then the rain went on ".repeat(1_300).slice(0, 32_000),
    "32,000 characters of German": `${FOREIGN.de} `.repeat(300).slice(0, 32_000),
  };
  console.log("\nSpeech, milliseconds from call to first audio, one worker, warm");
  printLine("", ["best", "median", "worst of 25", "processor"]);
  for (const [name, text] of Object.entries(texts)) {
    for (let round = 0; round < 5; round++) await firstSound(speech, text);
    const rounds = [];
    for (let round = 0; round < 25; round++) rounds.push(await firstSound(speech, text));
    const sorted = (field) => rounds.map((round) => round[field]).sort((a, b) => a - b);
    const [times, work] = [sorted("ms"), sorted("cpuMs")];
    printLine(
      name,
      [times[0], times[12], times[24], work[12]].map((ms) => ms.toFixed(0)),
    );
  }
  await speech.close();
}

/** One call at a time: seconds of audio per second, and milliseconds to the first audio, warm. */
async function measureCalls(speech, model, voice, language) {
  const rounds = [];
  for (let round = 0; round < 4; round++) {
    const startedAt = performance.now();
    let firstAt = 0;
    let bytes = 0;
    const text = language === "en" ? `${ENGLISH} ${ENGLISH}` : FOREIGN[language];
    const request = { model, segments: [{ text, voice }], speed: 1 };
    const options = {
      signal: new AbortController().signal,
      requestId: "bench",
      firstByteBy: startedAt + 300_000,
    };
    for await (const event of speech.synthesize(request, options)) {
      if (event.type !== "audio") continue;
      if (bytes === 0) firstAt = performance.now() - startedAt;
      bytes += event.pcm.length;
    }
    rounds.push({ firstAt, factor: (performance.now() - startedAt) / 1000 / (bytes / BYTES_PER_SECOND) });
  }
  // The first round loads the engine.
  const median = (field) =>
    rounds
      .slice(1)
      .map((round) => round[field])
      .sort((a, b) => a - b)[1];
  return [median("factor").toFixed(3), `${median("firstAt").toFixed(0)} ms`];
}

/** The built-in engines and, with PATCHBAY_TEST_VOICES, a neural voice. */
export async function benchVoices() {
  const { createEmbeddedSpeech, createLocalVoices } = await loadEngine();
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const workerFile = (name) => pathToFileURL(path.resolve(`.next/patchbay/workers/${name}.mjs`));
  console.log(
    "\nSpeech engines side by side, two sentences: computing time per second of audio, first audio",
  );
  printLine("", ["per second", "first audio"]);
  const speech = createEmbeddedSpeech({ workerFile: workerFile("speech"), clock, maxWorkers: 1 });
  printLine("flite en", await measureCalls(speech, "patchbay-speech", "Kore", "en"));
  printLine("espeak-ng de", await measureCalls(speech, "patchbay-speech", "Kore", "de"));
  await speech.close();
  const model = process.env.PATCHBAY_TEST_VOICES;
  if (!model) return console.log("Kokoro: set PATCHBAY_TEST_VOICES to its folder");
  const voices = createLocalVoices({
    directory: path.dirname(path.resolve(model)),
    workerFile: workerFile("voice"),
    unpackWorker: workerFile("unpack"),
    // Nothing is downloaded.
    outbound: { close: async () => {} },
    mirror: null,
    clock,
    callMs: () => 600_000,
  });
  const channel = { provider: "local-voices", options: {} };
  printLine(
    "Kokoro en",
    await measureCalls(voices.speech(channel), path.basename(path.resolve(model)), "Kore", "en"),
  );
  await voices.close();
}

export async function benchSpeech() {
  const engine = await loadEngine();
  await benchEngines(engine);
  await benchFirstSound(engine);
}
