import { statSync } from "node:fs";
import path from "node:path";
import { recordAudit } from "../../console/audit/record";
import { deleteVoice } from "../../console/voices/manage";
import { Limits } from "../../contracts/limits";
import type { InstallProgress, VoiceSource } from "../../ports/local-voices";
import { ARCHIVE_ENDING } from "../../providers/local-voices/download";
import { createProviders } from "../../providers/registry";
import { followAllowedUpstreams } from "../process/allowed-upstreams";
import type { Environment } from "../process/env";
import { systemClock } from "../process/system";
import { packageFolder, workerFile } from "../process/workers";
import { type Command, CommandError, counted, readArguments, UsageError } from "./command";
import { withStore } from "./open-store";
import type { Terminal } from "./terminal";

const PROGRESS_MS = 1_000;

type Admin = Parameters<Parameters<typeof withStore>[1]>[0];
type Voices = NonNullable<ReturnType<typeof createProviders>["voices"]>;

/** Runs `work` with the voices of this machine. */
async function withVoices(
  env: Environment,
  work: (voices: Voices, admin: Admin) => Promise<void>,
): Promise<void> {
  await withStore(env, async (admin) => {
    const providers = createProviders({
      workerFile,
      packageFolder,
      clock: systemClock,
      voices: env.voices,
      upstreams: {
        cipher: admin.cipher,
        limits: Limits.parse(env.limits),
        allowedUpstreams: await followAllowedUpstreams(admin.store, env.upstreamAllow),
        allowedWebhooks: [],
      },
    });
    try {
      if (providers.voices === null)
        throw new CommandError("Local voices are turned off: PATCHBAY_VOICES=off.");
      await work(providers.voices, admin);
    } finally {
      await providers.close();
    }
  });
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;

async function list(voices: Voices, terminal: Terminal): Promise<void> {
  const { ready, broken } = await voices.scan();
  for (const { name, kind, languages, speakers, bytes } of ready) {
    const facts = [
      kind,
      languages.join(" ") || "language unknown",
      counted(speakers.length, "speaker"),
      megabytes(bytes),
    ];
    terminal.say(`${name}  installed  ${facts.join(", ")}`);
  }
  for (const { name, file, reason } of broken)
    terminal.say(`${name}  broken     ${file === "" ? "" : `${file}: `}${reason}`);
  const here = new Set([...ready, ...broken].map(({ name }) => name));
  for (const { name, languages, quality, sizeMb, licence } of voices.catalogue) {
    if (here.has(name)) continue;
    const size = sizeMb === null ? "size unknown" : `${sizeMb} MB`;
    terminal.say(
      `${name}  available  ${[languages.join(" "), `${quality} quality`, size, licence].join(", ")}`,
    );
  }
}

/** Where a voice comes from: an archive on this machine, a URL, or a name of the catalogue. Throws UsageError. */
function sourceOf(voices: Voices, what: string): { name: string; source: VoiceSource } {
  const nameOf = (file: string) => path.basename(file).replace(ARCHIVE_ENDING, "");
  if (/^https?:\/\//i.test(what)) {
    if (!URL.canParse(what)) throw new UsageError(`'${what}' is not a URL.`);
    return { name: nameOf(new URL(what).pathname), source: { url: what } };
  }
  const known = voices.catalogue.find(({ name }) => name === what);
  if (known !== undefined) return { name: known.name, source: { url: known.url, sha256: known.sha256 } };
  const file = path.resolve(what);
  if (ARCHIVE_ENDING.test(what) && statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    return { name: nameOf(file), source: { file } };
  throw new UsageError(
    `'${what}' is neither a voice of the catalogue, nor a URL, nor a .tar.bz2 or .tar.gz file.`,
  );
}

/** Prints each new stage, and the progress within a stage at most once a second. */
function progressPrinter(terminal: Terminal): (progress: InstallProgress) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  let stage = "";
  return (progress) => {
    const now = systemClock.monotonic();
    if (progress.stage === stage && now - printedAt < PROGRESS_MS) return;
    printedAt = now;
    stage = progress.stage;
    const total = progress.total === null ? "" : ` of ${megabytes(progress.total)}`;
    terminal.note(stage === "verify" ? "verify" : `${stage} ${megabytes(progress.done)}${total}`);
  };
}

async function add(
  voices: Voices,
  admin: Admin,
  terminal: Terminal,
  what: string,
  options: { name?: string | undefined; sha256?: string | undefined },
): Promise<void> {
  const { sha256 } = options;
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError(`--sha256 must have 64 hexadecimal digits; got '${sha256.slice(0, 100)}'.`);
  const found = sourceOf(voices, what);
  const name = options.name ?? found.name;
  const source = sha256 === undefined ? found.source : { ...found.source, sha256 };
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop);
  try {
    const folder = await voices.install(name, source, {
      signal: stopping.signal,
      onProgress: progressPrinter(terminal),
    });
    await admin.store.transaction((tx) =>
      recordAudit(tx, admin, { action: "voice.add", target: name, detail: { source: what } }),
    );
    terminal.note(
      `${name} is installed (${counted(folder.speakers.length, "speaker")}). A running server serves it within 15 s.`,
    );
  } finally {
    process.off("SIGINT", stop);
  }
}

export const voicesCommand: Command = {
  name: "voices",
  usage: "list | add <name|url|file> [--name <folder>] [--sha256 <hex>] | verify <name> | remove <name>",
  summary: "list, install, check and remove the local voices",
  async run({ env, terminal }, args) {
    const [action = "", ...rest] = args;
    const text = { type: "string" } as const;
    switch (action) {
      case "list":
        readArguments(rest, {}, []);
        return withVoices(env, (voices) => list(voices, terminal));
      case "add": {
        const { values, positionals } = readArguments(rest, { name: text, sha256: text }, ["name|url|file"]);
        return withVoices(env, (voices, admin) => add(voices, admin, terminal, positionals[0] ?? "", values));
      }
      case "verify": {
        const { positionals } = readArguments(rest, {}, ["name"]);
        return withVoices(env, async (voices) => {
          const { seconds, realTimeFactor, isUnchanged } = await voices.verify(positionals[0] ?? "");
          const factor = `real-time factor ${realTimeFactor.toFixed(2)}`;
          const files = isUnchanged
            ? "its files are unchanged since installation"
            : "its files were not recorded when installed";
          terminal.say(`${positionals[0]} speaks: ${seconds.toFixed(1)} s of audio, ${factor}; ${files}.`);
        });
      }
      case "remove": {
        const { positionals } = readArguments(rest, {}, ["name"]);
        return withVoices(env, async (voices, admin) => {
          const name = positionals[0] ?? "";
          await deleteVoice(admin, voices, name);
          terminal.note(`${name} is removed.`);
        });
      }
      default:
        throw new UsageError(`'${action}' must be list, add, verify or remove.`);
    }
  },
};
