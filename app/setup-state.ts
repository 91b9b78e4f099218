import { readSettings } from "@/lib/console/access/read-settings";
import { storedProgress } from "@/lib/console/setup/state";
import type { SetupStep } from "@/lib/contracts/console/setup";
import { getContainer } from "@/lib/server/process/container";

/** Whether this instance has an owner. */
export async function isSetUp(): Promise<boolean> {
  const { services } = await getContainer();
  return services.store.setup.isSetUp();
}

/** Whether self-registration is allowed. */
export async function mayRegister(): Promise<boolean> {
  const { services } = await getContainer();
  return (await readSettings(services.store)).self_registration;
}

/** The wizard step that the owner reached; null if the wizard was finished or never started. */
export async function unfinishedSetupStep(): Promise<SetupStep | null> {
  const { services } = await getContainer();
  const progress = await storedProgress(services.store);
  return progress.finished ? null : progress.step;
}
