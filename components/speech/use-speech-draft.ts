"use client";

import { useCallback, useEffect, useState } from "react";
import { readSpeechLink } from "@/components/speech/link";
import { assignVoices, readStoredDraft, type SpeechDraft, storeDraft, withCall } from "./speech-draft";

/** Everything the visitor sets on the page: from the link's fragment, else this tab's last draft, else the start. */
export function useSpeechDraft(start: { text: string; voice: string; names: readonly string[] }) {
  const [draft, setDraft] = useState<SpeechDraft>(() => ({
    text: start.text,
    model: "",
    mode: "single",
    voice: start.voice,
    speakers: assignVoices(start.names, []),
    language: null,
    speed: 1,
  }));
  const [isRead, setRead] = useState(false);

  // Fragment and session storage are the browser's: the server's first paint cannot know them.
  useEffect(() => {
    const apply = () => {
      const link = readSpeechLink(window.location.hash);
      if (link) setDraft((now) => withCall(now, link));
      return link !== null;
    };
    if (!apply()) {
      const stored = readStoredDraft();
      if (stored) setDraft((now) => ({ ...now, ...stored }));
    }
    setRead(true);
    window.addEventListener("hashchange", apply);
    return () => window.removeEventListener("hashchange", apply);
  }, []);

  useEffect(() => {
    if (!isRead) return;
    const timer = setTimeout(() => storeDraft(draft), 300);
    return () => clearTimeout(timer);
  }, [draft, isRead]);

  const change = useCallback(
    (fields: Partial<SpeechDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, setDraft };
}
