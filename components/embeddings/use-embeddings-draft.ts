"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import { readEmbeddingsLink, writeEmbeddingsLink } from "@/components/embeddings/link";
import type { EmbeddingsCall } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { EMPTY_DRAFT, type EmbeddingsDraft, withState } from "./draft";

/** The draft of this tab, so that a reload loses nothing; sign-out empties it with the rest of the session's storage. */
const STORED = "patchbay-embeddings-draft";

function store(fragment: string): void {
  try {
    sessionStorage.setItem(STORED, fragment);
  } catch {
    // No room, or storage switched off: the draft then lives in the page alone.
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(STORED) ?? "";
  } catch {
    return "";
  }
}

/** What the visitor sets: from the link's fragment, else this tab's last draft, else empty; and the call it makes. */
export function useEmbeddingsDraft(models: readonly GatewayModel[]) {
  const [draft, setDraft] = useState<EmbeddingsDraft>(EMPTY_DRAFT);
  const [isRead, setRead] = useState(false);

  // Fragment and session storage are the browser's: the server's first paint cannot know them.
  useEffect(() => {
    const apply = () => {
      const link = readEmbeddingsLink(window.location.hash);
      if (link) setDraft((now) => withState(now, link));
      return link !== null;
    };
    if (!apply()) {
      const kept = readEmbeddingsLink(stored());
      if (kept) setDraft((now) => withState(now, kept));
    }
    setRead(true);
    window.addEventListener("hashchange", apply);
    return () => window.removeEventListener("hashchange", apply);
  }, []);

  // A model that a link names and nobody serves any more stays chosen: the API says so in its own words.
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
    const timer = setTimeout(() => store(writeEmbeddingsLink(call, draft.query)), 300);
    return () => clearTimeout(timer);
  }, [call, draft.query, isRead]);

  const change = useCallback(
    (fields: Partial<EmbeddingsDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, call, model, isRead };
}
