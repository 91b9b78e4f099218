import { z } from "zod";
import { CreateModel } from "../gateway/models";
import { boundedLine, boundedText } from "../text";
import { Timestamp } from "../timestamp";
import { CreateChannel } from "./channels";
import { OpenSettings } from "./settings";

/** Channels, models and settings as one file: what an instance is without its people, keys, secrets and books. */

const FileSettings = OpenSettings.partial();

/** Upstream keys never leave. `embedded`: an engine built in, found again by its provider. */
const FileChannel = CreateChannel.omit({ keys: true }).extend({
  // What is wrong with one channel is a step of the report, not of the file.
  provider: boundedLine(1, 64),
  base_url: z.string().max(2_048).nullable().optional(),
  headers: z.record(z.string().max(128), z.string().max(4_096)).optional(),
  embedded: z.boolean().optional(),
});
export type FileChannel = z.output<typeof FileChannel>;

export const SettingsFile = z.strictObject({
  format: z.literal("patchbay-settings", "Must be a file that Patchbay exported."),
  version: z.literal(1, "Must be a file of version 1."),
  exported_at: Timestamp,
  /** The version of the Patchbay that wrote it. */
  patchbay: boundedText(0, 64),
  settings: FileSettings,
  models: z.array(CreateModel).max(2_000),
  channels: z.array(FileChannel).max(1_000),
});
export type SettingsFile = z.output<typeof SettingsFile>;

/** Largest body of an import, in bytes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** `POST /api/settings/import`. */
export const ImportSettings = z.strictObject({
  /** Tells what would happen and changes nothing. */
  dry_run: z.boolean(),
  file: SettingsFile,
});
export type ImportSettings = z.output<typeof ImportSettings>;

export const ImportStep = z.strictObject({
  kind: z.enum(["setting", "model", "channel"]),
  name: z.string(),
  /** `same`: it stands here as the file has it. */
  action: z.enum(["create", "change", "same", "skip"]),
  /** The fields that change. */
  fields: z.array(z.string()),
  /** Why it is skipped. */
  reason: z.string().nullable(),
});
export type ImportStep = z.output<typeof ImportStep>;

export const ImportReport = z.strictObject({ dry_run: z.boolean(), steps: z.array(ImportStep) });
export type ImportReport = z.output<typeof ImportReport>;
