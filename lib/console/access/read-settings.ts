import { DEFAULT_SETTINGS, EarlierAlertRules, OpenSettings } from "../../contracts/console/settings";
import type { Repositories } from "../../ports/store";

/** The stored shape: older servers on the same store write the webhook URL among the alert rules. */
const Stored = OpenSettings.extend({ alerts: EarlierAlertRules.strip() });

/** The instance's settings; a missing or invalid value falls back to its default. */
export async function readSettings(store: Pick<Repositories, "settings">): Promise<OpenSettings> {
  const stored = await store.settings.all();
  const whole = Stored.safeParse({ ...DEFAULT_SETTINGS, ...pick(stored) });
  if (whole.success) return whole.data;
  const broken = new Set(whole.error.issues.map((issue) => issue.path[0]));
  const sound = Object.fromEntries(Object.entries(pick(stored)).filter(([name]) => !broken.has(name)));
  return Stored.parse({ ...DEFAULT_SETTINGS, ...sound });
}

function pick(stored: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name in DEFAULT_SETTINGS));
}
