import { useTranslations } from "use-intl";
import type { ApiKey, KeyLimit } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { isHigherRole } from "@/lib/contracts/rank";

/** The role that set a limit if it is higher than the viewer's, who then may not loosen the limit. Otherwise null. */
export function higherAuthor(key: ApiKey | null, limit: KeyLimit, viewer: Role): "owner" | "admin" | null {
  const role = key?.limits_set_by[limit];
  return role !== undefined && role !== "member" && isHigherRole(role, viewer) ? role : null;
}

/** A hint that the viewer may not loosen a limit; null if they may. */
export function useLimitAuthor(key: ApiKey | null, viewer: Role): (limit: KeyLimit) => string | null {
  const t = useTranslations("apiKeys.form.setBy");
  return (limit) => {
    const role = higherAuthor(key, limit, viewer);
    return role === null ? null : t(role);
  };
}
