import useSWR from "swr";
import type { Alert, AlertsSummary } from "../contracts/console/alerts";
import type { VersionedSettings } from "../contracts/console/settings";
import type { ListPage } from "../contracts/paging";
import { pagedListKey, usePagedList } from "./paged-list";

/** The server looks this often. */
const REFRESH_MS = 15_000;
const OPEN = "/api/alerts?state=opened&limit=100";
const RESOLVED = "/api/alerts?state=resolved";
const SUMMARY = "/api/alerts/summary";

/** What the page of alerts shows at once, read by the server. */
export interface FirstAlerts {
  open: ListPage<Alert>;
  /** Its first page. */
  resolved: ListPage<Alert>;
  summary: AlertsSummary;
}

/** The same under the paths that the hooks below ask for: a `fallback` of SWR. */
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

/** Alerts that are over, newest first, page after page. */
export function useResolvedAlerts() {
  return usePagedList<Alert>(RESOLVED);
}

/** How many are open. `isWanted` false: nothing is asked (members may not). */
export function useAlertsSummary(isWanted = true) {
  return useSWR<AlertsSummary>(isWanted ? SUMMARY : null, { refreshInterval: 4 * REFRESH_MS });
}

export function useInstanceSettings() {
  return useSWR<VersionedSettings>("/api/settings");
}

/** Where somebody goes to mend what an alert is about. */
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
