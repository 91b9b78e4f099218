import useSWR from "swr";
import type { SetupProgress, SetupState } from "../contracts/setup";
import { api } from "./api";

export const useSetupState = (isOn = true) =>
  useSWR<SetupState>(isOn ? "/api/setup" : null, { revalidateOnFocus: false });

/** Keeps where the owner stands in the wizard. */
export function saveProgress(change: Partial<SetupProgress>): Promise<SetupProgress> {
  return api.patch<SetupProgress>("/api/setup/progress", change);
}
