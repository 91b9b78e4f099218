import useSWR from "swr";
import type { AlertsSummary } from "../contracts/alerts";
import type { Overview } from "../contracts/overview";
import type { UsageRow } from "../contracts/usage";
import { ALERTS_SUMMARY_PATH, overviewPath, TAIL_PATH } from "./overview";
import type { Range } from "./range";

/** Other processes' calls are no event here: they come with the next look. */
const REFRESH_MS = 30_000;

/** The first page's figures; those of the range before stay until the new are here. */
export const useOverview = (range: Range) =>
  useSWR<Overview>(overviewPath(range), { keepPreviousData: true, refreshInterval: REFRESH_MS });

/** The newest calls one may see. */
export const useTail = () =>
  useSWR<{ items: UsageRow[] }>(TAIL_PATH, { keepPreviousData: true, refreshInterval: REFRESH_MS });

export const useOpenAlerts = (isAdmin: boolean) =>
  useSWR<AlertsSummary>(isAdmin ? ALERTS_SUMMARY_PATH : null);
