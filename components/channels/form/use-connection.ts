"use client";

import { useCallback, useRef, useState } from "react";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type {
  DraftChannel,
  DraftModels,
  UpstreamFault,
  UpstreamModels,
} from "@/lib/contracts/console/channels";

/** What asking the upstream for its models came to. */
export type Connection =
  | { kind: "none" }
  | { kind: "busy" }
  | { kind: "listed"; count: number }
  | { kind: "no-list" }
  /** Private or plain http, and on no list: the owner has to allow `target` first. */
  | { kind: "private"; target: string }
  | { kind: "fault"; fault: UpstreamFault }
  | { kind: "failed"; error: unknown };

const NEEDS_ALLOWANCE = /has to allow '([^']+)'/;

/** The `host:port` that a refusal asks the owner to allow; null for other refusals. */
export function targetToAllow(error: unknown): string | null {
  if (!isApiError(error)) return null;
  for (const { path, message } of error.issues) {
    const target = path === "base_url" ? NEEDS_ALLOWANCE.exec(message)?.[1] : undefined;
    if (target) return target;
  }
  return null;
}

function targetOf(baseUrl: string | null | undefined): string {
  if (!baseUrl || !URL.canParse(baseUrl)) return "";
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** Asks a draft's upstream what it serves; the newest question's answer counts. */
export function useConnection(onListed: (models: NonNullable<UpstreamModels["models"]>) => void) {
  const [connection, setConnection] = useState<Connection>({ kind: "none" });
  const newest = useRef(0);

  const forget = useCallback(() => {
    newest.current += 1;
    setConnection({ kind: "none" });
  }, []);

  /** Gives the refusal when the draft itself was at fault, so that it can stand at its fields. */
  const connect = async (request: DraftChannel): Promise<unknown> => {
    newest.current += 1;
    const number = newest.current;
    setConnection({ kind: "busy" });
    const tell = (next: Connection) => {
      if (number === newest.current) setConnection(next);
    };
    try {
      const { models, error } = await api.post<DraftModels>("/api/channels/draft/models", request);
      if (number !== newest.current) return null;
      if (error?.fault === "address_refused") tell({ kind: "private", target: targetOf(request.base_url) });
      else if (error) tell({ kind: "fault", fault: error });
      else if (models === null) tell({ kind: "no-list" });
      else {
        tell({ kind: "listed", count: models.length });
        onListed(models);
      }
      return null;
    } catch (failure) {
      const target = targetToAllow(failure);
      if (target !== null) {
        tell({ kind: "private", target });
        return null;
      }
      const isOfFields = isApiError(failure) && failure.issues.length > 0;
      tell(isOfFields ? { kind: "none" } : { kind: "failed", error: failure });
      return isOfFields ? failure : null;
    }
  };
  return {
    connection,
    connect,
    forget,
    setPrivate: (target: string) => setConnection({ kind: "private", target }),
  };
}
