import useSWR from "swr";
import type { Alert, AlertsSummary } from "../contracts/alerts";
import type { ListPage } from "../contracts/paging";
import type { VersionedSettings } from "../contracts/settings";
import { usePagedList } from "./paged-list";

/** The server looks this often. */
const LOOK_AGAIN_MS = 15_000;
const SUMMARY = "/api/alerts/summary";

/** Open alerts, newest first. */
export function useOpenAlerts() {
  return useSWR<ListPage<Alert>>("/api/alerts?state=opened&limit=100", { refreshInterval: LOOK_AGAIN_MS });
}

/** Alerts that are over, newest first, page after page. */
export function useResolvedAlerts() {
  return usePagedList<Alert>("/api/alerts?state=resolved");
}

/** How many are open. `isWanted` false: nothing is asked (members may not). */
export function useAlertsSummary(isWanted = true) {
  return useSWR<AlertsSummary>(isWanted ? SUMMARY : null, { refreshInterval: 4 * LOOK_AGAIN_MS });
}

export function useInstanceSettings() {
  return useSWR<VersionedSettings>("/api/settings");
}

/** Where somebody goes to mend what an alert is about. */
export function placeOfAlert({ kind, subject, subject_name, detail }: Alert): string {
  switch (kind) {
    case "channel_open":
      return `/channels/${encodeURIComponent(subject)}`;
    case "error_rate":
      return "/logs?status=failed&range=1h";
    case "budget_nearly_spent":
    case "budget_spent":
      return `/${detail.owner === "user" ? "users" : "keys"}?q=${encodeURIComponent(subject_name ?? "")}`;
    case "disk":
      return "/settings";
  }
}
