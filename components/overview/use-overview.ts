import { api } from "../../lib/client/api";
import { overviewQuery } from "../../lib/client/overview";
import type { Range } from "../../lib/client/range";
import { useApi } from "../../lib/client/use-api";

/** Calls served by other processes send no event to this page, so it polls as well. */
const OPTIONS = { keepPreviousData: true, refreshInterval: 30_000 };
const RECENT = { query: { limit: 12 } };

/** Data of the overview; that of the previous range stays until the new data is loaded. */
export const useOverview = (range: Range) =>
  useApi(api.readOverview, { query: overviewQuery(range) }, OPTIONS);

/** The most recent calls that the user may see. */
export const useRecentRequests = () => useApi(api.listCalls, RECENT, OPTIONS);

export const useOpenAlerts = (isAdmin: boolean) => useApi(api.summarizeAlerts, isAdmin ? {} : null);
