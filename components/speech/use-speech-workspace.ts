"use client";

import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import { findNames } from "@/components/speech/script";
import { type GatewayModel, listVoices, voicesOfModel } from "@/lib/client/gateway-models";
import { isComposing } from "@/lib/client/is-composing";
import { hasLetterShortcuts } from "@/lib/client/letter-shortcuts";
import { withPlaygroundKey } from "@/lib/client/playground-key";
import type { SpeechCall } from "@/lib/client/speech-call";
import { SpeechPlayer } from "@/lib/client/speech-player";
import { useWindowEvent } from "@/lib/client/use-window-event";
import { MIN_CANDIDATES } from "./candidates";
import type { Take } from "./history";
import { callOf, callsOf, type SpeechDraft, voiceForModel, withCall } from "./speech-draft";
import { expectedSeconds, isTooLong, type ModelCall } from "./text-facts";
import { useComparison } from "./use-comparison";
import { useFavourites } from "./use-favourites";
import { useRecorder } from "./use-recorder";
import { useSample } from "./use-sample";
import { useSpeechDraft } from "./use-speech-draft";
import { useTakes } from "./use-takes";

/** Fields that take spaces, and controls that Space activates. */
const TAKES_SPACE =
  'a[href], button, select, textarea, summary, [contenteditable], [role="menuitem"], [role="tab"], [role="radio"], input:not([type="range"], [type="radio"]:checked)';

/** Ctrl- or Cmd-Enter speaks, Escape stops, Space plays or pauses where the focused element does not use it. */
function useShortcuts({ speak, stop, toggle }: { speak(): unknown; stop(): void; toggle(): void }): void {
  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event) || event.altKey) return;
    const target = event.target instanceof Element ? event.target : null;
    // Dialogs and menus handle their own keys.
    if (target?.closest('[role="dialog"], [role="alertdialog"], [role="menu"]')) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && isCommand) {
      event.preventDefault();
      if (!event.repeat) speak();
    } else if (event.key === "Escape") stop();
    else if (event.key === " " && !isCommand && !event.shiftKey && !target?.closest(TAKES_SPACE)) {
      // Off together with the letter shortcuts: speech input types spaces as it types letters.
      if (!hasLetterShortcuts()) return;
      event.preventDefault();
      if (!event.repeat) toggle();
    }
  });
}

/** True if every speaker of a script has a voice, or the call's voice or the model's default is set. */
function hasVoice({ voices }: SpeechCall, model: GatewayModel | null): boolean {
  if (voices.kind === "script") return voices.speakers.every((one) => one.voice.trim() !== "");
  return Boolean(voices.voice?.trim() || model?.defaultVoice);
}

/**
 * Voices that the signed-in user may use, read with the playground key: `all` of them, and `voices` of the given
 * model. Both are null while they load.
 */
function useVoices(model: string) {
  const { data, error, mutate } = useSWR("/v1/audio/voices", () => withPlaygroundKey(listVoices), {
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  });
  const voices = useMemo(() => (data ? voicesOfModel(data, model) : null), [data, model]);
  // SWR types errors as any.
  return { all: data ?? null, voices, error: error as unknown, reload: () => void mutate() };
}

/** The page's player, the `<audio>` element it plays through, and its state. */
function usePlayer() {
  const [player] = useState(() => new SpeechPlayer());
  const state = useSyncExternalStore(player.subscribe, player.snapshot, player.serverSnapshot);
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  useEffect(() => (audio ? player.attach(audio) : undefined), [player, audio]);
  return { player, state, audio, setAudio };
}

/** Voice samples; a sample and a take never play at the same time. */
function useExclusiveSample(model: string, player: SpeechPlayer, isPlaying: boolean) {
  const sampler = useSample(model);
  const { stop } = sampler;
  useEffect(() => {
    if (isPlaying) stop();
  }, [isPlaying, stop]);
  return {
    ...sampler,
    play: (voice: string) => {
      player.pause();
      return sampler.play(voice);
    },
  };
}

/** The draft with a model (`shown`), the call of the page, and the calls of a comparison. */
function useDraftCalls(draft: SpeechDraft, models: readonly GatewayModel[], initialModel: GatewayModel) {
  const shown = useMemo(
    () => ({ ...draft, model: draft.model || initialModel.name }),
    [draft, initialModel.name],
  );
  const findModel = useCallback((name: string) => models.find((one) => one.name === name) ?? null, [models]);
  const model = findModel(shown.model);
  const compared = useMemo(
    () => (shown.mode === "several" ? callsOf(shown, findModel) : []),
    [shown, findModel],
  );
  const call = useMemo(() => compared[0]?.call ?? callOf(shown, model), [compared, shown, model]);
  const calls: ModelCall[] =
    compared.length === 0
      ? [{ call, model }]
      : compared.map((one) => ({ call: one.call, model: findModel(one.call.model) }));
  return { shown, model, compared, call, calls };
}

/**
 * Speaking, comparing and stopping, with the shortcuts of the page. Without a voice, `speak` reports that instead of
 * making a call. It returns whether it started a call.
 */
function useActions({
  calls: { shown, model, compared, call, calls },
  player,
  needsVoiceName,
  onUnload,
  recorder,
  comparison,
}: {
  calls: ReturnType<typeof useDraftCalls>;
  player: SpeechPlayer;
  /** The model lists no voices, so the user has to enter a voice name. */
  needsVoiceName: boolean;
  /** Removes the last take from the player. */
  onUnload(): void;
  recorder: ReturnType<typeof useRecorder>;
  comparison: ReturnType<typeof useComparison>;
}) {
  const [expected, setExpected] = useState(0);
  const [isReported, setReported] = useState(false);
  const lacksVoice = needsVoiceName && !hasVoice(call, model);
  const speakOne = () => {
    setReported(lacksVoice);
    if (lacksVoice) return false;
    setExpected(expectedSeconds(call));
    onUnload();
    void recorder.record(call);
    return true;
  };
  const compare = () => {
    if (compared.length < MIN_CANDIDATES) return false;
    player.pause();
    void comparison.run(compared);
    return true;
  };
  const speak = () => {
    if (shown.text.trim() === "" || calls.some((one) => isTooLong(one.call, one.model))) return false;
    return shown.mode === "several" ? compare() : speakOne();
  };
  const stop = () => {
    recorder.stop();
    comparison.stop();
  };
  useShortcuts({
    speak: () => recorder.isRunning || comparison.isRunning || speak(),
    stop,
    toggle: () => player.toggle(),
  });
  return { speak, stop, isVoiceMissing: isReported && lacksVoice, expectedSeconds: expected };
}

export type SpeechWorkspace = ReturnType<typeof useSpeechWorkspace>;

/** State and actions of the speech playground; `initialModel` is preselected. */
export function useSpeechWorkspace(
  userId: string,
  models: readonly GatewayModel[],
  initialModel: GatewayModel,
) {
  const t = useTranslations("speech");
  const { draft, change, setDraft } = useSpeechDraft(
    {
      text: t("starter"),
      voice: initialModel.defaultVoice ?? "",
      names: findNames(t("examples.dialogueText")),
    },
    models,
  );
  const draftCalls = useDraftCalls(draft, models, initialModel);
  const { shown, model, call, calls } = draftCalls;
  const { player, state, audio, setAudio } = usePlayer();
  const takes = useTakes(userId, player);
  const recorder = useRecorder({ player, userId, onTake: takes.add });
  const comparison = useComparison({ userId, onTake: takes.keep });
  const voices = useVoices(shown.model);
  const favourites = useFavourites(userId, shown.model);
  const sampler = useExclusiveSample(shown.model, player, state.isPlaying);

  const actions = useActions({
    calls: draftCalls,
    player,
    needsVoiceName: voices.voices?.length === 0,
    onUnload: takes.unload,
    recorder,
    comparison,
  });

  return {
    models,
    draft: shown,
    model,
    call,
    calls,
    change,
    player,
    state,
    audio,
    setAudio,
    takes,
    recorder,
    comparison,
    isRunning: recorder.isRunning || comparison.isRunning,
    voices,
    favourites,
    sampler,
    ...actions,
    chooseModel: (name: string) => {
      const offered = voices.all && voicesOfModel(voices.all, name).map((one) => one.name);
      const next = models.find((one) => one.name === name) ?? null;
      change({ model: name, voice: voiceForModel(draft.voice, model, next, offered) });
    },
    reuse: (take: Take) => {
      setDraft((now) => withCall(now, take.call, models));
      window.scrollTo({ top: 0 });
    },
  };
}
