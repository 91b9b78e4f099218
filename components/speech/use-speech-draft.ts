"use client";

import { useCallback, useEffect, useState } from "react";
import { readSpeechLink } from "@/components/speech/link";
import { assignVoices, readStoredDraft, type SpeechDraft, storeDraft, withCall } from "./speech-draft";

/** The settings of the page: from the URL fragment, else this tab's stored draft, else the defaults. */
export function useSpeechDraft(defaults: { text: string; voice: string; names: readonly string[] }) {
  const [draft, setDraft] = useState<SpeechDraft>(() => ({
    text: defaults.text,
    model: "",
    mode: "single",
    voice: defaults.voice,
    speakers: assignVoices(defaults.names, []),
    candidates: [],
    language: null,
    speed: 1,
    instructions: "",
  }));
  const [isRead, setRead] = useState(false);
  const [defaultText, setDefaultText] = useState(defaults.text);
  // The language was changed on this page.
  if (defaultText !== defaults.text) {
    setDefaultText(defaults.text);
    if (draft.text === defaultText) setDraft({ ...draft, text: defaults.text });
  }

  // In an effect: fragment and session storage do not exist where the server renders.
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
    const { text, ...settings } = draft;
    // The default text is not stored: it follows the language.
    const timer = setTimeout(() => storeDraft(text === defaultText ? settings : draft), 300);
    return () => clearTimeout(timer);
  }, [draft, isRead, defaultText]);

  const change = useCallback(
    (fields: Partial<SpeechDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, setDraft };
}
