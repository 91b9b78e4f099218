import useSWR from "swr";
import { ALERTS_SUMMARY_PATH, overviewPath, RECENT_REQUESTS_PATH } from "../../lib/client/overview";
import type { Range } from "../../lib/client/range";
import type { AlertsSummary } from "../../lib/contracts/console/alerts";
import type { Overview } from "../../lib/contracts/console/overview";
import type { UsageRow } from "../../lib/contracts/console/usage";

/** Other processes' calls are no event here: they come with the next look. */
const REFRESH_MS = 30_000;

/** The first page's figures; those of the range before stay until the new are here. */
export const useOverview = (range: Range) =>
  useSWR<Overview>(overviewPath(range), { keepPreviousData: true, refreshInterval: REFRESH_MS });

/** The newest calls one may see. */
export const useRecentRequests = () =>
  useSWR<{ items: UsageRow[] }>(RECENT_REQUESTS_PATH, { keepPreviousData: true, refreshInterval: REFRESH_MS });

export const useOpenAlerts = (isAdmin: boolean) =>
  useSWR<AlertsSummary>(isAdmin ? ALERTS_SUMMARY_PATH : null);
