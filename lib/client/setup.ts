import useSWR from "swr";
import type { SetupProgress, SetupState } from "../contracts/setup";
import { api } from "./api";

export const useSetupState = (isOn = true) =>
  useSWR<SetupState>(isOn ? "/api/setup" : null, { revalidateOnFocus: false });

/** A step is not worth a longer wait. */
const LONGEST_MS = 2_000;

/** Keeps where the owner stands in the wizard; rejects when the server does not say so soon. */
export function saveProgress(change: Partial<SetupProgress>): Promise<SetupProgress> {
  return api.patch<SetupProgress>("/api/setup/progress", change, { signal: AbortSignal.timeout(LONGEST_MS) });
}
