import type { ImportReport, ImportSettings, ImportStep } from "../../../contracts/console/settings-file";
import { requireSignedInOperator } from "../../access/require-operator";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";
import { readModelNames } from "../../models/model-names";
import { importChannels } from "./import-channels";
import { importModels } from "./import-models";
import { importSettings } from "./import-settings";
import type { Importing } from "./step";

/** Rolls a dry run back, carrying its steps. */
class DryRun extends Error {
  constructor(readonly steps: ImportStep[]) {
    super("dry run");
  }
}

function countOf(steps: readonly ImportStep[]): Record<string, string[]> {
  const named = (action: ImportStep["action"]) =>
    steps.filter((one) => one.action === action).map((one) => `${one.kind} ${one.name}`);
  return { created: named("create"), changed: named("change"), skipped: named("skip") };
}

/**
 * Imports models, channels and settings in one transaction; a dry run does the same work and rolls it back. Throws
 * `forbidden`.
 */
export async function importFile(ctx: ConsoleContext, input: ImportSettings): Promise<ImportReport> {
  const user = await requireSignedInOperator(ctx);
  const { dry_run, file } = input;
  try {
    const steps = await ctx.store.transaction(async (tx) => {
      const existing = (await tx.channels.all()).map((channel) => [channel.id, channel] as const);
      const models = await readModelNames(tx);
      const importing: Importing = { tx, ctx, user, models, channels: new Map(existing) };
      // Models first: channels name them.
      const ofModels = await importModels(importing, file.models);
      const ofChannels = await importChannels(importing, file.channels);
      const ofSettings = await importSettings(importing, file.settings);
      const all = [...ofSettings, ...ofModels, ...ofChannels];
      if (dry_run) throw new DryRun(all);
      await recordAudit(tx, ctx, { action: "settings.import", detail: countOf(all) });
      return all;
    });
    await ctx.instance.refreshSettings?.();
    return { dry_run, steps };
  } catch (error) {
    if (error instanceof DryRun) return { dry_run, steps: error.steps };
    throw error;
  }
}
