import { z } from "zod";
import { boundedLine, boundedText } from "../text";
import { Timestamp } from "../timestamp";
import { CreateChannel } from "./channels";
import { CreateModel } from "./models";
import { OpenSettings } from "./settings";

/** Channels, models and settings as one file: an instance without users, keys, secrets and usage. */

const FileSettings = OpenSettings.partial().extend({
  /** Files of earlier versions have no `rules`; their import leaves the rules of models and keys unchanged. */
  alerts: OpenSettings.shape.alerts.partial({ rules: true }).optional(),
});

/**
 * A channel without its upstream keys. `embedded`: an embedded engine, matched by provider, and a local voice also by
 * model.
 */
const FileChannel = CreateChannel.omit({ keys: true }).extend({
  // The import checks provider, address and headers in full: it skips an invalid channel and does not reject the file.
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
  /** Version of the Patchbay that wrote the file. */
  patchbay: boundedText(0, 64),
  settings: FileSettings,
  // Keeps the import's one transaction below about ten seconds, because writes that wait longer fail
  // (lib/store/write-queue.ts).
  models: z.array(CreateModel).max(10_000),
  channels: z.array(FileChannel).max(5_000),
});
export type SettingsFile = z.output<typeof SettingsFile>;

/** Largest body of an import, in bytes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

export const ImportSettings = z.strictObject({
  /** Reports the changes without making them. */
  dry_run: z.boolean(),
  file: SettingsFile,
});
export type ImportSettings = z.output<typeof ImportSettings>;

export const ImportStep = z.strictObject({
  /** `rule`: an alert rule for an API key that this instance does not have; `name` is the key's ID. */
  kind: z.enum(["setting", "rule", "model", "channel"]),
  name: z.string(),
  /** `same`: this instance already matches the file. */
  action: z.enum(["create", "change", "same", "skip"]),
  fields: z.array(z.string()),
  /** Why the step is skipped; null: it is not skipped. */
  reason: z.string().nullable(),
});
export type ImportStep = z.output<typeof ImportStep>;

export const ImportReport = z.strictObject({ dry_run: z.boolean(), steps: z.array(ImportStep) });
export type ImportReport = z.output<typeof ImportReport>;
