import useSWR from "swr";
import { usePagedList } from "../../lib/client/paged-list";
import type { AuditCheck, AuditRow } from "../../lib/contracts/console/audit";

/** Groups of actions in the filter, by their name in the page's URL; the values are sent as `action=`. */
export const AUDIT_GROUPS = {
  signIn: "login,logout,session",
  twoFactor: "2fa",
  password: "password",
  users: "user,invite",
  keys: "key",
  channels: "channel,upstream",
  models: "model",
  settings: "settings,alerts,metrics_token,caches",
  instance: "setup,store,secret,clock",
} as const;
export type AuditGroup = keyof typeof AUDIT_GROUPS;

const HOUR_MS = 3_600_000;
/** Periods up to now, by their name in the page's URL (`time=7d`). */
export const AUDIT_TIMES = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
} as const;

export function isAuditGroup(name: string): name is AuditGroup {
  return Object.hasOwn(AUDIT_GROUPS, name);
}

function isTime(name: string): name is keyof typeof AUDIT_TIMES {
  return Object.hasOwn(AUDIT_TIMES, name);
}

/** Start of a day (`2026-11-21`) in the browser's time zone as RFC 3339; null for an invalid day. */
function dayStart(day: string | null, plusDays = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (year === undefined) return null;
  return new Date(Number(year), Number(month) - 1, Number(date) + plusDays).toISOString();
}

/** The query of `GET /api/audit` for the page's search parameters. `now` (ms) is the end of relative periods. */
export function auditQuery(address: { get(name: string): string | null }, now: number): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | null) => {
    if (value) query.set(name, value);
  };
  const q = (address.get("q") ?? "").trim();
  if (q.length >= 2) query.set("q", q);
  put("actor", address.get("actor"));
  put("target", address.get("target"));
  const group = address.get("what") ?? "";
  if (isAuditGroup(group)) query.set("action", AUDIT_GROUPS[group]);
  const time = address.get("time") ?? "";
  if (isTime(time)) query.set("from", new Date(now - AUDIT_TIMES[time]).toISOString());
  if (time === "days") {
    put("from", dayStart(address.get("from")));
    put("to", dayStart(address.get("to"), 1));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Pages of the audit log for a query from `auditQuery`, newest first. */
export function useAudit(query: string) {
  const { items, ...rest } = usePagedList<AuditRow>(`/api/audit${query}`);
  return { rows: items, ...rest };
}

/** Verification of the hash chain: runs when the page opens and on request. */
export function useAuditCheck() {
  return useSWR<AuditCheck>("/api/audit/verify", {
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
    revalidateIfStale: true,
  });
}
