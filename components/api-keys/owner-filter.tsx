"use client";

import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { setQueryParam } from "@/lib/client/query-params";
import { useApi } from "@/lib/client/use-api";
import { NativeSelect } from "../ui/input";

/** The longest list that is still usable; other users' keys are linked from the users page. */
const MAX_USERS = 100;

/** Filters keys by owner: all, the viewer's own, or one user's. The choice is the `owner` query parameter. */
export function OwnerFilter({ viewerId, owner }: { viewerId: string; owner: string | null }) {
  const t = useTranslations("apiKeys.owner");
  const { data } = useApi(api.listUsers, { query: { limit: MAX_USERS } });
  const others = (data?.items ?? []).filter((user) => user.id !== viewerId);
  const isUnlisted = owner !== null && owner !== "me" && !others.some((user) => user.id === owner);
  return (
    <NativeSelect
      aria-label={t("label")}
      className="grow sm:w-56 sm:grow-0"
      value={owner ?? ""}
      onChange={(event) => setQueryParam("owner", event.target.value)}
    >
      <option value="">{t("all")}</option>
      <option value="me">{t("mine")}</option>
      {isUnlisted ? <option value={owner}>{t("unknown")}</option> : null}
      {others.length > 0 ? (
        <optgroup label={t("users")}>
          {others.map((user) => (
            <option key={user.id} value={user.id}>
              {user.username}
            </option>
          ))}
        </optgroup>
      ) : null}
    </NativeSelect>
  );
}
