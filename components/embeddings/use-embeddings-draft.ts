"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import type { EmbeddingsCall } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { setFragment } from "@/lib/client/query-params";
import { readStored, writeStored } from "@/lib/client/storage";
import { EMPTY_DRAFT, type EmbeddingsDraft, hasFixedLength, withLink } from "./draft";
import { readEmbeddingsLink, writeEmbeddingsLink } from "./link";

/** Session storage: the draft of this tab survives a reload; `clearOtherUsersData` deletes another user's. */
const STORAGE_KEY = "patchbay-embeddings-draft";

/**
 * The visitor's input and the call it describes. It starts from this tab's last draft, else empty; a link in the URL's
 * fragment is applied on top.
 */
export function useEmbeddingsDraft(models: readonly GatewayModel[]) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [isRead, setRead] = useState(false);

  // The server renders without the fragment and session storage, so they are read after hydration.
  useEffect(() => {
    const apply = (fragment: string) => {
      const link = readEmbeddingsLink(fragment);
      if (link) setDraft((now) => withLink(now, link));
    };
    const applyLink = () => apply(window.location.hash);
    apply(readStored("sessionStorage", STORAGE_KEY) ?? "");
    applyLink();
    setRead(true);
    window.addEventListener("hashchange", applyLink);
    return () => window.removeEventListener("hashchange", applyLink);
  }, []);

  // A model from a link stays selected even if no channel serves it: the API's error explains it.
  const model = models.find((one) => one.name === draft.model) ?? (draft.model ? undefined : models[0]);
  const call: EmbeddingsCall = useMemo(
    () => ({
      model: draft.model || (models[0]?.name ?? ""),
      texts: draft.texts.map((one) => one.text),
      dimensions: hasFixedLength(model) ? null : draft.dimensions,
      format: draft.format,
    }),
    [draft.model, draft.texts, draft.dimensions, draft.format, model, models],
  );

  useEffect(() => {
    if (!isRead) return;
    const save = () => {
      // A link that stays in the URL would undo later edits after a reload.
      if (writeStored("sessionStorage", STORAGE_KEY, writeEmbeddingsLink(call, draft.query))) setFragment("");
    };
    const timer = setTimeout(save, 300);
    return () => clearTimeout(timer);
  }, [call, draft.query, isRead]);

  const change = useCallback(
    (fields: Partial<EmbeddingsDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, call, model };
}
