import useSWR from "swr";
import type { Alert, AlertsSummary } from "../contracts/console/alerts";
import type { VersionedSettings } from "../contracts/console/settings";
import type { ListPage } from "../contracts/paging";
import { pagedListKey, usePagedList } from "./paged-list";

/** The interval of the server's own checks. */
const REFRESH_MS = 15_000;
const OPEN = "/api/alerts?state=opened&limit=100";
const RESOLVED = "/api/alerts?state=resolved";
const SUMMARY = "/api/alerts/summary";

/** Data of the alerts page, read on the server. */
export interface FirstAlerts {
  open: ListPage<Alert>;
  /** The first page. */
  resolved: ListPage<Alert>;
  summary: AlertsSummary;
}

/** SWR `fallback` with the data under the paths the hooks below fetch. */
export function alertsFallback({ open, resolved, summary }: FirstAlerts): Record<string, unknown> {
  return {
    [OPEN]: open,
    [pagedListKey(RESOLVED)]: [resolved],
    [SUMMARY]: summary,
  };
}

/** Open alerts, newest first. */
export function useOpenAlerts() {
  return useSWR<ListPage<Alert>>(OPEN, { refreshInterval: REFRESH_MS });
}

/** Pages of resolved alerts, newest first. */
export function useResolvedAlerts() {
  return usePagedList<Alert>(RESOLVED);
}

/** The number of open alerts. `isEnabled` false: nothing is fetched (members may not read it). */
export function useAlertsSummary(isEnabled = true) {
  return useSWR<AlertsSummary>(isEnabled ? SUMMARY : null, { refreshInterval: 4 * REFRESH_MS });
}

export function useInstanceSettings() {
  return useSWR<VersionedSettings>("/api/settings");
}

/** The page where the cause of an alert can be fixed. */
export function alertHref({ kind, subject, subject_name, detail }: Alert): string {
  switch (kind) {
    case "channel_open":
      return `/channels/${encodeURIComponent(subject)}`;
    case "error_rate":
      return "/logs?status=failed&range=1h";
    case "budget_nearly_spent":
    case "budget_spent":
      return `/${detail.owner === "user" ? "users" : "keys"}?q=${encodeURIComponent(subject_name ?? "")}`;
    case "disk":
    case "second_server":
      return "/settings";
  }
}
