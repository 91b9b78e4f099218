import { readSettings } from "@/lib/console/access/read-settings";
import { PROGRESS_SETTING } from "@/lib/console/setup/progress";
import { SetupProgress, type SetupStep } from "@/lib/contracts/console/setup";
import { getContainer } from "@/lib/server/process/container";

/** Whether somebody has set this instance up. */
export async function isSetUp(): Promise<boolean> {
  const { services } = await getContainer();
  return services.store.setup.isClaimed();
}

/** Whether people may make an account for themselves. */
export async function mayRegister(): Promise<boolean> {
  const { services } = await getContainer();
  return (await readSettings(services.store)).self_registration;
}

/** Where the owner stopped in the wizard; null once they have finished or left it. */
export async function unfinishedSetupStep(): Promise<SetupStep | null> {
  const { services } = await getContainer();
  const kept = SetupProgress.safeParse((await services.store.settings.all())[PROGRESS_SETTING]);
  return kept.success && !kept.data.finished ? kept.data.step : null;
}
