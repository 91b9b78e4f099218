"use client";

import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { readSpeechLink } from "@/components/speech/link";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { setFragment } from "@/lib/client/query-params";
import {
  assignVoices,
  DEFAULT_SETTINGS,
  readStoredDraft,
  type SpeechDraft,
  storeDraft,
  withCall,
} from "./speech-draft";

/** The settings of the page: this tab's stored draft, else the defaults, with a link in the URL's fragment applied. */
export function useSpeechDraft(
  defaults: { text: string; voice: string; names: readonly string[] },
  models: readonly GatewayModel[],
) {
  const [draft, setDraft] = useState<SpeechDraft>(() => ({
    text: defaults.text,
    model: "",
    ...DEFAULT_SETTINGS,
    voice: defaults.voice,
    speakers: assignVoices(defaults.names, []),
    candidates: [],
  }));
  const [isRead, setRead] = useState(false);
  const [defaultText, setDefaultText] = useState(defaults.text);
  // The user changed the console's language: a text that is still the default text follows it.
  if (defaultText !== defaults.text) {
    setDefaultText(defaults.text);
    if (draft.text === defaultText) setDraft({ ...draft, text: defaults.text });
  }

  const applyLink = useEffectEvent(() => {
    const link = readSpeechLink(window.location.hash);
    if (link) setDraft((now) => withCall(now, link, models));
  });

  // In an effect: fragment and session storage do not exist where the server renders.
  useEffect(() => {
    const onHashChange = () => applyLink();
    const stored = readStoredDraft();
    if (stored) setDraft((now) => ({ ...now, ...stored }));
    applyLink();
    setRead(true);
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);

  useEffect(() => {
    if (!isRead) return;
    const { text, ...settings } = draft;
    // The default text is not stored: it follows the language.
    const save = () => {
      // A link that stays in the URL would undo later edits after a reload.
      if (storeDraft(text === defaultText ? settings : draft)) setFragment("");
    };
    const timer = setTimeout(save, 300);
    return () => clearTimeout(timer);
  }, [draft, isRead, defaultText]);

  const change = useCallback(
    (fields: Partial<SpeechDraft>) => setDraft((now) => ({ ...now, ...fields })),
    [],
  );
  return { draft, change, setDraft };
}
