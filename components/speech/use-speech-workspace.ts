"use client";

import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { findNames } from "@/components/speech/script";
import { hasVoice, useVoices, voicesOfModel } from "@/components/speech/use-voices";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { SpeechCall } from "@/lib/client/speech-call";
import { SpeechPlayer } from "@/lib/client/speech-player";
import type { Take } from "./history";
import { callOf, withCall } from "./speech-draft";
import { expectedSeconds, isTooLong } from "./text-facts";
import { useRecorder } from "./use-recorder";
import { useSample } from "./use-sample";
import { useShortcuts } from "./use-shortcuts";
import { useSpeechDraft } from "./use-speech-draft";
import { useTakes } from "./use-takes";

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

/** `speak` sends the call if it is complete; a missing voice is reported instead. */
function useSpeak({
  call,
  model,
  needsVoiceName,
  onSpeak,
}: {
  call: SpeechCall;
  model: GatewayModel | null;
  /** True where the model lists no voices, so that one has to be entered. */
  needsVoiceName: boolean;
  onSpeak(call: SpeechCall): void;
}) {
  const [expected, setExpected] = useState(0);
  const [isReported, setReported] = useState(false);
  const canSpeak = call.text.trim() !== "" && !isTooLong(call, model);
  const lacksVoice = needsVoiceName && !hasVoice(call, model);
  const speak = useCallback(() => {
    if (!canSpeak) return;
    setReported(lacksVoice);
    if (lacksVoice) return;
    setExpected(expectedSeconds(call));
    onSpeak(call);
  }, [canSpeak, lacksVoice, call, onSpeak]);
  return { speak, isVoiceMissing: isReported && lacksVoice, expectedSeconds: expected };
}

/** State and actions of the speech playground; `initialModel` is preselected. */
export function useSpeechWorkspace(
  userId: string,
  models: readonly GatewayModel[],
  initialModel: GatewayModel,
) {
  const t = useTranslations("speech");
  const { draft, change, setDraft } = useSpeechDraft({
    text: t("starter"),
    voice: initialModel.defaultVoice ?? "",
    names: findNames(t("examples.dialogueText")),
  });
  const shown = useMemo(
    () => ({ ...draft, model: draft.model || initialModel.name }),
    [draft, initialModel.name],
  );
  const call = useMemo(() => callOf(shown), [shown]);
  const model = models.find((one) => one.name === shown.model) ?? null;

  const { player, state, audio, setAudio } = usePlayer();
  const takes = useTakes(userId, player);
  const recorder = useRecorder({ player, userId, onTake: takes.add });
  const voices = useVoices(shown.model);
  const sampler = useExclusiveSample(shown.model, player, state.isPlaying);

  const { unload } = takes;
  const { record, stop } = recorder;
  const { speak, isVoiceMissing, expectedSeconds } = useSpeak({
    call,
    model,
    needsVoiceName: voices.voices?.length === 0,
    onSpeak: useCallback(
      (sent: SpeechCall) => {
        unload();
        void record(sent);
      },
      [unload, record],
    ),
  });
  const toggle = useCallback(() => player.toggle(), [player]);
  useShortcuts({ speak, stop, toggle });

  return {
    draft: shown,
    call,
    change,
    player,
    state,
    audio,
    setAudio,
    takes,
    recorder,
    voices,
    sampler,
    speak,
    isVoiceMissing,
    expectedSeconds,
    /** Selects a model; its default voice replaces a voice that it does not have. */
    chooseModel: (name: string) => {
      const offered = voicesOfModel(voices.all ?? [], name);
      const isOffered = offered.some((one) => one.name === draft.voice);
      const voice = models.find((one) => one.name === name)?.defaultVoice ?? offered[0]?.name ?? "";
      change({ model: name, ...(isOffered ? {} : { voice }) });
    },
    reuse: (take: Take) => {
      setDraft((now) => withCall(now, take.call));
      window.scrollTo({ top: 0 });
    },
  };
}
