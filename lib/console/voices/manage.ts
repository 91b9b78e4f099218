import type { UploadedPart, UploadVoiceQuery, VoiceCheck } from "../../contracts/console/local-voices";
import { AppError, hasCode } from "../../errors";
import type { LocalVoices, VoiceSource } from "../../ports/local-voices";
import type { Repositories, Store } from "../../ports/store";
import { type ActorContext, recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { requireVoices } from "./list";
import { refreshVoices, voiceChannelId } from "./refresh";

/** Refuses a name that is installed or being installed. Throws `conflict`. */
async function requireFree(voices: LocalVoices, name: string): Promise<void> {
  const [{ ready, broken }, { jobs }] = await Promise.all([voices.scan(), voices.records()]);
  if ([...ready, ...broken].some((folder) => folder.name === name))
    throw new AppError("conflict", `The local voice '${name}' already exists; remove it first.`);
  if (jobs.some((job) => job.name === name && job.state === "running"))
    throw new AppError("conflict", `The local voice '${name}' is being installed.`);
}

/**
 * Installs in the background; the list shows the progress and the error. Resolves when the installation has begun.
 * `from`: the source's name in the audit entry. Throws `conflict`.
 */
function startInstall(
  ctx: ConsoleContext,
  voices: LocalVoices,
  name: string,
  source: VoiceSource,
  from: string,
): Promise<void> {
  const work = async (onProgress: () => void) => {
    await voices.install(name, source, { signal: new AbortController().signal, onProgress });
    const { archiveSha256: sha256 } = await voices.facts(name);
    await ctx.store.transaction((tx) =>
      recordAudit(tx, ctx, { action: "voice.add", target: name, detail: { source: from, sha256 } }),
    );
    await refreshVoices(ctx);
  };
  return new Promise((resolve, reject) => {
    work(resolve).then(resolve, (error: unknown) => {
      if (!hasCode(error, "caller_left")) ctx.log.warn("voice_not_installed", { model: name, cause: error });
      reject(error);
    });
  });
}

/** Starts or continues the download of a voice of the catalogue. Throws `forbidden`, `not_found`, `conflict`. */
export async function downloadVoice(ctx: ConsoleContext, name: string): Promise<void> {
  const voices = requireVoices(ctx);
  const known = voices.catalogue.find((voice) => voice.name === name);
  if (known === undefined) throw new AppError("not_found", `The catalogue has no voice '${name}'.`);
  await requireFree(voices, name);
  await startInstall(ctx, voices, name, { url: known.url, sha256: known.sha256 }, known.url);
}

/**
 * Writes a part of an archive to the disk and, after the last one, installs it. Throws `forbidden`, `invalid`,
 * `conflict`.
 */
export async function uploadVoicePart(
  ctx: ConsoleContext,
  name: string,
  part: UploadVoiceQuery,
  readBytes: () => Promise<Uint8Array>,
): Promise<UploadedPart> {
  const voices = requireVoices(ctx);
  await requireFree(voices, name);
  const { received, archive } = await voices.receive(name, { ...part, bytes: await readBytes() });
  const isComplete = received === part.total;
  if (isComplete) await startInstall(ctx, voices, name, { file: archive, isTemporary: true }, part.file);
  return { received_bytes: received, is_complete: isComplete };
}

/** Cancels an installation, or dismisses one that failed. Throws `forbidden`, `not_found`. */
export async function cancelInstallation(ctx: ConsoleContext, name: string): Promise<void> {
  await requireVoices(ctx).cancel(name);
}

/**
 * Deletes the channel of a folder that was removed, and its model unless another channel serves it. Returns whether the
 * model was deleted.
 */
async function deleteVoiceRecords(tx: Repositories, name: string): Promise<boolean> {
  await tx.channels.delete(voiceChannelId(name));
  const isServed = (await tx.channels.all()).some(({ models }) =>
    models.some((model) => model.name === name),
  );
  const model = (await tx.models.all()).find((one) => one.name === name);
  return !isServed && model?.operation === "speech" && (await tx.models.delete(name));
}

/** Deletes a voice's files, if its folder is still there, and its channel and model. Throws `not_found`. */
export async function deleteVoice(
  ctx: ActorContext & { store: Store },
  voices: Pick<LocalVoices, "remove">,
  name: string,
): Promise<void> {
  const hasChannel = (await ctx.store.channels.find(voiceChannelId(name))) !== null;
  await voices.remove(name).catch((error: unknown) => {
    if (!hasChannel || !hasCode(error, "not_found")) throw error;
  });
  await ctx.store.transaction(async (tx) => {
    await deleteVoiceRecords(tx, name);
    await recordAudit(tx, ctx, { action: "voice.remove", target: name });
  });
}

/** Removes a voice. Throws `forbidden`, `not_found`. */
export async function removeVoice(ctx: ConsoleContext, name: string): Promise<void> {
  await deleteVoice(ctx, requireVoices(ctx), name);
}

/**
 * Compares a voice's files with those that were installed, and speaks a test sentence with it. Throws `forbidden`,
 * `not_found`, `invalid`.
 */
export async function verifyVoice(ctx: ConsoleContext, name: string): Promise<VoiceCheck> {
  const { seconds, realTimeFactor, isUnchanged } = await requireVoices(ctx).verify(name);
  return {
    audio_ms: Math.round(seconds * 1_000),
    real_time_factor: realTimeFactor,
    is_unchanged: isUnchanged,
  };
}
