import { useCallback, useEffect, useState } from "react";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { InviteFacts } from "@/lib/contracts/console/invites";

export interface ValidLink<Kind extends InviteFacts["kind"]> {
  state: "valid";
  token: string;
  facts: Extract<InviteFacts, { kind: Kind }>;
}

/** A one-time link: being checked, valid, invalid (used, revoked, expired, wrong kind), or the check failed. */
type LinkState<Kind extends InviteFacts["kind"]> =
  | { state: "loading" }
  | ValidLink<Kind>
  | { state: "invalid" }
  | { state: "failed"; error: unknown };

/** Reads the token in the URL's fragment and loads what the link is for. The token stays in the URL for reloads. */
export function useOneTimeLink<Kind extends InviteFacts["kind"]>(kind: Kind) {
  const [link, setLink] = useState<LinkState<Kind>>({ state: "loading" });
  const open = useCallback(async () => {
    const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
    if (!token) return setLink({ state: "invalid" });
    setLink({ state: "loading" });
    try {
      const facts = await callApi(api.inspectInvite, { body: { token } });
      // The kinds were just compared, but TypeScript does not narrow by a type parameter.
      if (facts.kind === kind) setLink({ state: "valid", token, facts: facts as never });
      else setLink({ state: "invalid" });
    } catch (error) {
      setLink(isApiError(error, "not_found") ? { state: "invalid" } : { state: "failed", error });
    }
  }, [kind]);
  useEffect(() => {
    void open();
    // A link pasted into the same tab changes only the fragment.
    const onHashChange = () => void open();
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, [open]);
  return { link, open, markInvalid: () => setLink({ state: "invalid" }) };
}
