"use client";

import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import type { Take } from "@/components/speech/history";
import { findNames } from "@/components/speech/script";
import { useVoices } from "@/components/speech/use-voices";
import type { GatewayModel, GatewayVoice } from "@/lib/client/gateway-models";
import type { SpeechCall } from "@/lib/client/speech-call";
import { SpeechPlayer } from "@/lib/client/speech-player";
import { callOf, withCall } from "./speech-draft";
import { expectedSeconds, isTooLong } from "./text-facts";
import { useHistory } from "./use-history";
import { useRecorder } from "./use-recorder";
import { useSample } from "./use-sample";
import { useShortcuts } from "./use-shortcuts";
import { useSpeechDraft } from "./use-speech-draft";

const speaksFor = (voice: GatewayVoice, model: string) =>
  voice.models.length === 0 || voice.models.includes(model);

function hasWrittenVoice({ voices }: SpeechCall, model: GatewayModel | null): boolean {
  if (voices.kind === "script") return voices.speakers.every((one) => one.voice.trim() !== "");
  return Boolean(voices.voice?.trim() || model?.defaultVoice);
}

/** Everything of the playground that shares one draft, one player and one tape; `first` is the model to start with. */
export function useSpeechWorkspace(userId: string, models: readonly GatewayModel[], first: GatewayModel) {
  const t = useTranslations("speech");
  const { draft, change, setDraft } = useSpeechDraft({
    text: t("starter"),
    voice: first.defaultVoice ?? "",
    names: findNames(t("try.dialogueText")),
  });
  const shown = useMemo(() => ({ ...draft, model: draft.model || first.name }), [draft, first.name]);
  const call = useMemo(() => callOf(shown), [shown]);
  const model = models.find((one) => one.name === shown.model) ?? null;

  const [player] = useState(() => new SpeechPlayer());
  const state = useSyncExternalStore(player.subscribe, player.snapshot, player.serverSnapshot);
  const [audio, setAudio] = useState<HTMLAudioElement | null>(null);
  useEffect(() => (audio ? player.attach(audio) : undefined), [player, audio]);

  const { keep, ...tape } = useHistory(userId);
  const [current, setCurrent] = useState<Take | null>(null);
  const [marked, setMarked] = useState<readonly string[]>([]);
  const onTake = useCallback(
    (take: Take) => {
      setCurrent(take);
      void keep(take);
    },
    [keep],
  );
  const { recording, isRunning, meter, ignored, record, stop } = useRecorder({ player, userId, onTake });
  const [expected, setExpected] = useState(0);

  const voices = useVoices();
  const offered = useMemo(
    () => voices.voices?.filter((one) => speaksFor(one, shown.model)) ?? null,
    [voices.voices, shown.model],
  );
  const sampler = useSample(shown.model);
  const stopSample = sampler.stop;
  // Two sounds at once are none.
  useEffect(() => {
    if (state.isPlaying) stopSample();
  }, [state.isPlaying, stopSample]);

  const canSpeak = call.text.trim() !== "" && !isTooLong(call, model);
  // Where voices are listed one is chosen; where they are not, it has to be written.
  const hasVoice = offered === null || offered.length > 0 || hasWrittenVoice(call, model);
  const [isVoiceAsked, setVoiceAsked] = useState(false);
  const speak = useCallback(() => {
    if (!canSpeak) return;
    setVoiceAsked(!hasVoice);
    if (!hasVoice) return;
    setCurrent(null);
    setExpected(expectedSeconds(call));
    void record(call);
  }, [canSpeak, hasVoice, call, record]);
  const toggle = useCallback(() => player.toggle(), [player]);
  useShortcuts({ speak, stop, toggle });

  const emptyDeck = () => {
    if (isRunning) return;
    player.clear();
    setCurrent(null);
  };

  return {
    draft: shown,
    call,
    change,
    player,
    state,
    audio,
    setAudio,
    tape,
    current,
    marked,
    recording,
    isRunning,
    meter,
    ignored,
    expectedSeconds: expected,
    voices: { ...voices, voices: offered },
    isVoiceMissing: isVoiceAsked && !hasVoice,
    sampler: {
      ...sampler,
      play: (voice: string) => {
        player.pause();
        return sampler.play(voice);
      },
    },
    speak,
    stop,
    /** Keeps the voice where the new model has it, else takes that model's own. */
    chooseModel: (name: string) => {
      const own = voices.voices?.filter((one) => speaksFor(one, name)) ?? [];
      const isKnown = own.some((one) => one.name === draft.voice);
      const voice = models.find((one) => one.name === name)?.defaultVoice ?? own[0]?.name ?? "";
      change({ model: name, ...(isKnown ? {} : { voice }) });
    },
    play: (take: Take) => {
      if (take.id === current?.id) return player.toggle();
      setCurrent(take);
      player.load(take.samples);
      player.play();
    },
    /** The other take of a comparison, from the same place on. */
    swap: (take: Take) => {
      setCurrent(take);
      player.swap(take.samples);
    },
    reuse: (take: Take) => {
      setDraft((now) => withCall(now, take.call));
      window.scrollTo({ top: 0 });
    },
    /** Two takes at most are marked; a third takes the place of the older mark. */
    mark: (take: Take) =>
      setMarked((now) =>
        now.includes(take.id) ? now.filter((id) => id !== take.id) : [...now.slice(-1), take.id],
      ),
    unmark: () => setMarked([]),
    remove: (take: Take) => {
      tape.remove(take.id);
      setMarked((now) => now.filter((id) => id !== take.id));
      if (take.id === current?.id) emptyDeck();
      toast(t("tape.deleted"), { action: { label: t("tape.undo"), onClick: () => void keep(take) } });
    },
    clear: () => {
      void tape.clear();
      setMarked([]);
      emptyDeck();
    },
  };
}
