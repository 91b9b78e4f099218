"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import type { EmbeddingsCall } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { readStored, writeStored } from "@/lib/client/storage";
import { type EmbeddingsDraft, mergeIntoDraft } from "./draft";
import { readEmbeddingsLink, writeEmbeddingsLink } from "./link";

/** Session storage: the draft of this tab survives a reload; sign-out clears it. */
const STORAGE_KEY = "patchbay-embeddings-draft";

/** The visitor's input (from the URL's fragment, else this tab's last draft, else empty) and the call it describes. */
export function useEmbeddingsDraft(models: readonly GatewayModel[]) {
  const [draft, setDraft] = useState<EmbeddingsDraft>({
    texts: [],
    model: "",
    dimensions: null,
    format: "float",
    query: "",
  });
  const [isRead, setRead] = useState(false);

  // The server renders without the fragment and session storage, so they are read after hydration.
  useEffect(() => {
    const apply = () => {
      const link = readEmbeddingsLink(window.location.hash);
      if (link) setDraft((now) => mergeIntoDraft(now, link));
      return link !== null;
    };
    if (!apply()) {
      const saved = readEmbeddingsLink(readStored("sessionStorage", STORAGE_KEY) ?? "");
      if (saved) setDraft((now) => mergeIntoDraft(now, saved));
    }
    setRead(true);
    window.addEventListener("hashchange", apply);
    return () => window.removeEventListener("hashchange", apply);
  }, []);

  // A model from a link stays selected even if no channel serves it: the API's error explains it.
  const model = models.find((one) => one.name === draft.model) ?? (draft.model ? undefined : models[0]);
  const call: EmbeddingsCall = useMemo(
    () => ({
      model: draft.model || (models[0]?.name ?? ""),
      texts: draft.texts.map((one) => one.text),
      dimensions: draft.dimensions,
      format: draft.format,
    }),
    [draft.model, draft.texts, draft.dimensions, draft.format, models],
  );

  useEffect(() => {
    if (!isRead) return;
    const save = () => writeStored("sessionStorage", STORAGE_KEY, writeEmbeddingsLink(call, draft.query));
    const timer = setTimeout(save, 300);
    return () => clearTimeout(timer);
  }, [call, draft.query, isRead]);

  const change = useCallback(
    (fields: Partial<EmbeddingsDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, call, model };
}
