import type { OpenSettings } from "../../../contracts/console/settings";
import type { ImportStep, SettingsFile } from "../../../contracts/console/settings-file";
import { isAppError } from "../../../errors";
import { readSettings } from "../../access/read-settings";
import { requireOwnTwoFactor } from "../../access/two-factor-roles";
import { applySettings, raiseVersion } from "../update";
import { changed, differing, type Importing, skipped } from "./step";

/** Why this caller may not make this change; null: they may. */
async function refusal(
  { tx, user }: Importing,
  before: OpenSettings,
  name: string,
  change: Partial<OpenSettings>,
): Promise<string | null> {
  if (name === "demo_site" && user.role !== "owner") return "Only the owner may change this.";
  if (name !== "two_factor_roles" || change.two_factor_roles === undefined) return null;
  try {
    await requireOwnTwoFactor(tx, user, before.two_factor_roles, change.two_factor_roles);
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.message;
  }
}

/** Writes the file's settings over the stored ones; the webhook URL is not part of the file and stays. */
export async function importSettings(
  importing: Importing,
  file: SettingsFile["settings"],
): Promise<ImportStep[]> {
  const { tx, ctx, user } = importing;
  const before = await readSettings(tx);
  const wanted = differing(before, file);
  const steps: ImportStep[] = [];
  for (const name of Object.keys(file)) {
    const one = { kind: "setting", name } as const;
    const reason = name in wanted ? await refusal(importing, before, name, wanted) : null;
    if (reason === null) {
      steps.push(changed(one, name in wanted ? [name] : []));
      continue;
    }
    steps.push(skipped(one, reason));
    // A name of the settings, as it was read from them.
    delete wanted[name as keyof OpenSettings];
  }
  if (Object.keys(wanted).length === 0) return steps;
  await raiseVersion(tx, undefined);
  await applySettings(tx, ctx, user, wanted);
  return steps;
}
