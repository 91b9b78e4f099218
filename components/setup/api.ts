import useSWR from "swr";
import { api } from "../../lib/client/api";
import type { SetupProgress, SetupState } from "../../lib/contracts/console/setup";

export const useSetupState = (isOn = true) =>
  useSWR<SetupState>(isOn ? "/api/setup" : null, { revalidateOnFocus: false });

/** Saves the owner's progress in the wizard. */
export function saveProgress(
  change: Partial<SetupProgress>,
  options?: { signal: AbortSignal },
): Promise<SetupProgress> {
  return api.patch<SetupProgress>("/api/setup/progress", change, options);
}
