import { useCallback, useEffect, useState } from "react";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { InviteFacts } from "@/lib/contracts/console/invites";

/** A one-time link of the address: on its way, live with what it is for, dead, or not to be asked now. */
export type LinkState<Kind extends InviteFacts["kind"]> =
  | { state: "opening" }
  | { state: "live"; token: string; facts: Extract<InviteFacts, { kind: Kind }> }
  | { state: "dead" }
  | { state: "failed"; error: unknown };

/**
 * Reads the token of the address's fragment and asks what it is for. The token stays in the address, so that loading
 * the page again works; whoever uses it up replaces the page.
 */
export function useLink<Kind extends InviteFacts["kind"]>(kind: Kind) {
  const [link, setLink] = useState<LinkState<Kind>>({ state: "opening" });
  const open = useCallback(async () => {
    const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
    if (!token) return setLink({ state: "dead" });
    setLink({ state: "opening" });
    try {
      const facts = await api.post<InviteFacts>("/api/invites/inspect", { token });
      // Told apart by their kind, which was just compared; the compiler does not narrow by a type parameter.
      if (facts.kind === kind) setLink({ state: "live", token, facts: facts as never });
      else setLink({ state: "dead" });
    } catch (error) {
      setLink(isApiError(error, "not_found") ? { state: "dead" } : { state: "failed", error });
    }
  }, [kind]);
  useEffect(() => {
    void open();
    // Another link pasted into the same tab changes the fragment alone.
    const again = () => void open();
    window.addEventListener("hashchange", again);
    return () => window.removeEventListener("hashchange", again);
  }, [open]);
  return { link, open, markDead: () => setLink({ state: "dead" }) };
}
