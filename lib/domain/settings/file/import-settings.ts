import type { Settings } from "../../../contracts/settings";
import type { ImportStep, SettingsFile } from "../../../contracts/settings-file";
import { isAppError } from "../../../errors";
import { readSettings } from "../read";
import { requireOwnFactor } from "../two-factor-roles";
import { applySettings } from "../update";
import { raiseVersion } from "../version";
import { changed, differing, type Importing, skipped } from "./step";

/** Why this caller may not change that setting so; null: they may. */
async function refusal(
  { tx, user }: Importing,
  before: Settings,
  name: string,
  change: Partial<Settings>,
): Promise<string | null> {
  if (name === "demo_site" && user.role !== "owner") return "Only the owner changes this.";
  if (name !== "two_factor_roles" || change.two_factor_roles === undefined) return null;
  try {
    await requireOwnFactor(tx, user, before.two_factor_roles, change.two_factor_roles);
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.message;
  }
}

/** The file's settings over those that stand; a webhook's address stays. */
export async function importSettings(
  importing: Importing,
  { alerts, ...file }: SettingsFile["settings"],
): Promise<ImportStep[]> {
  const { tx, ctx, user } = importing;
  const before = await readSettings(tx);
  const whole: Partial<Settings> = {
    ...file,
    ...(alerts === undefined ? {} : { alerts: { ...before.alerts, ...alerts } }),
  };
  const wanted = differing(before, whole);
  const steps: ImportStep[] = [];
  for (const name of Object.keys(whole)) {
    const one = { kind: "setting", name } as const;
    const reason = name in wanted ? await refusal(importing, before, name, wanted) : null;
    if (reason === null) {
      steps.push(changed(one, name in wanted ? [name] : []));
      continue;
    }
    steps.push(skipped(one, reason));
    // A name of the settings, as it was read from them.
    delete wanted[name as keyof Settings];
  }
  if (Object.keys(wanted).length === 0) return steps;
  await raiseVersion(tx, undefined);
  await applySettings(tx, ctx, user, wanted);
  return steps;
}
