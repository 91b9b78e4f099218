import useSWR from "swr";
import { ALERTS_SUMMARY_PATH, overviewPath, RECENT_REQUESTS_PATH } from "../../lib/client/overview";
import type { Range } from "../../lib/client/range";
import type { AlertsSummary } from "../../lib/contracts/console/alerts";
import type { Overview } from "../../lib/contracts/console/overview";
import type { UsageRow } from "../../lib/contracts/console/usage";

/** Calls served by other processes send no event to this page, so it polls as well. */
const REFRESH_MS = 30_000;

/** Data of the overview; that of the previous range stays until the new data is loaded. */
export const useOverview = (range: Range) =>
  useSWR<Overview>(overviewPath(range), { keepPreviousData: true, refreshInterval: REFRESH_MS });

/** The most recent calls that the user may see. */
export const useRecentRequests = () =>
  useSWR<{ items: UsageRow[] }>(RECENT_REQUESTS_PATH, {
    keepPreviousData: true,
    refreshInterval: REFRESH_MS,
  });

export const useOpenAlerts = (isAdmin: boolean) =>
  useSWR<AlertsSummary>(isAdmin ? ALERTS_SUMMARY_PATH : null);
