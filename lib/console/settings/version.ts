import type { OpenSettings } from "../../contracts/console/settings";
import { AppError } from "../../errors";
import type { Repositories } from "../../ports/store";
import { readSettings } from "../access/read-settings";

/** Setting that counts the changes of the settings. */
const SETTING = "settings_version";

async function readVersion(store: Pick<Repositories, "settings">): Promise<number> {
  const stored = (await store.settings.all())[SETTING];
  return typeof stored === "number" ? stored : 1;
}

/** The settings with the version that an update must send back. */
export async function readVersioned(
  store: Pick<Repositories, "settings">,
): Promise<OpenSettings & { version: number }> {
  return { ...(await readSettings(store)), version: await readVersion(store) };
}

/** Raises the version inside the change's transaction. Throws `conflict` when `read` is not the present version. */
export async function raiseVersion(tx: Repositories, read: number | undefined): Promise<void> {
  const present = await readVersion(tx);
  if (read !== undefined && read !== present)
    throw new AppError(
      "conflict",
      "The settings were changed by another request. Load them again and repeat your change.",
    );
  await tx.settings.put(SETTING, present + 1);
}
