"use client";

import { useCallback, useRef, useState } from "react";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { DraftChannel, UpstreamFailure, UpstreamModels } from "@/lib/contracts/console/channels";

/** State of the request for the upstream's models. */
export type Connection =
  | { kind: "none" }
  | { kind: "busy" }
  | { kind: "listed"; count: number }
  | { kind: "no-list" }
  /** `target` (host:port) is a private address or plain http that is not allowed yet; the owner can allow it. */
  | { kind: "private"; target: string }
  | { kind: "upstream-error"; error: UpstreamFailure }
  /** The request to Patchbay failed. */
  | { kind: "failed"; error: unknown };

const NEEDS_ALLOWANCE = /has to allow '([^']+)'/;

/** The `host:port` that the owner has to allow according to the error; null for other errors. */
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

/** Lists the models of a draft's upstream; only the answer to the newest request counts. */
export function useConnection(onListed: (models: NonNullable<UpstreamModels["models"]>) => void) {
  const [connection, setConnection] = useState<Connection>({ kind: "none" });
  const newest = useRef(0);

  const reset = useCallback(() => {
    newest.current += 1;
    setConnection({ kind: "none" });
  }, []);

  /** Resolves to the error if the draft itself is invalid, so that the form can show it at its fields; else to null. */
  const connect = async (request: DraftChannel): Promise<unknown> => {
    newest.current += 1;
    const number = newest.current;
    setConnection({ kind: "busy" });
    const update = (next: Connection) => {
      if (number === newest.current) setConnection(next);
    };
    try {
      const { models, error } = await callApi(api.listDraftModels, { body: request });
      if (number !== newest.current) return null;
      if (error?.fault === "address_refused") update({ kind: "private", target: targetOf(request.base_url) });
      else if (error) update({ kind: "upstream-error", error });
      else if (models === null) update({ kind: "no-list" });
      else {
        update({ kind: "listed", count: models.length });
        onListed(models);
      }
      return null;
    } catch (failure) {
      if (number !== newest.current) return null;
      const target = targetToAllow(failure);
      if (target !== null) {
        update({ kind: "private", target });
        return null;
      }
      const isInvalidDraft = isApiError(failure) && failure.issues.length > 0;
      update(isInvalidDraft ? { kind: "none" } : { kind: "failed", error: failure });
      return isInvalidDraft ? failure : null;
    }
  };
  return {
    connection,
    connect,
    reset,
    setPrivate: (target: string) => setConnection({ kind: "private", target }),
  };
}
