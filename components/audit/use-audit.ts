import { api } from "../../lib/client/api";
import { searchText } from "../../lib/client/query-params";
import { isRangeName, RANGES } from "../../lib/client/range";
import { useApi } from "../../lib/client/use-api";
import type { AuditQuery } from "../../lib/contracts/console/audit";

/** Groups of actions in the filter, by their name in the page's URL; the values are sent as `action=`. */
export const AUDIT_GROUPS = {
  signIn: "login,logout,session",
  twoFactor: "2fa",
  password: "password",
  users: "user,invite",
  keys: "key",
  channels: "channel,upstream",
  models: "model,voice",
  settings: "settings,alerts,metrics_token,caches",
  instance: "setup,store,secret,clock",
} as const;
export type AuditGroup = keyof typeof AUDIT_GROUPS;

function isAuditGroup(name: string): name is AuditGroup {
  return Object.hasOwn(AUDIT_GROUPS, name);
}

/** Start of a day (`2026-11-21`) in the browser's time zone as RFC 3339; null for an invalid day. */
function dayStart(day: string | null, plusDays = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (year === undefined) return null;
  return new Date(Number(year), Number(month) - 1, Number(date) + plusDays).toISOString();
}

type AuditFilters = Omit<AuditQuery, "limit" | "cursor">;

/** The filters of the page's search parameters. `now` (ms) is the end of relative periods. */
export function auditQuery(address: { get(name: string): string | null }, now: number): AuditFilters {
  const group = address.get("what") ?? "";
  const time = address.get("time") ?? "";
  const filters = {
    q: searchText(address.get("q") ?? ""),
    actor: address.get("actor"),
    target: address.get("target"),
    action: isAuditGroup(group) ? AUDIT_GROUPS[group] : null,
    from: isRangeName(time)
      ? new Date(now - RANGES[time]).toISOString()
      : time === "days"
        ? dayStart(address.get("from"))
        : null,
    to: time === "days" ? dayStart(address.get("to"), 1) : null,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
}

/** Verification of the hash chain: runs when the page opens and on request. */
export function useAuditCheck() {
  return useApi(
    api.verifyAudit,
    {},
    {
      revalidateOnFocus: false,
      revalidateOnReconnect: false,
      revalidateIfStale: true,
    },
  );
}
