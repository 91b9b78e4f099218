import { useMemo } from "react";
import useSWR from "swr";
import type { SpeechCall } from "@/lib/client/speech-call";
import { type GatewayModel, type GatewayVoice, listVoices } from "../../lib/client/gateway-models";
import { withPlaygroundKey } from "../../lib/client/with-playground-key";

/** The voices of a model among all voices; a voice without models belongs to every model. */
export function voicesOfModel(voices: readonly GatewayVoice[], model: string): GatewayVoice[] {
  return voices.filter((one) => one.models.length === 0 || one.models.includes(model));
}

/** True where every part of the call has a voice, its own or the model's default. */
export function hasVoice({ voices }: SpeechCall, model: GatewayModel | null): boolean {
  if (voices.kind === "script") return voices.speakers.every((one) => one.voice.trim() !== "");
  return Boolean(voices.voice?.trim() || model?.defaultVoice);
}

/**
 * Voices that the signed-in user may use, read with the playground key: `all` of them, and `voices` of the given
 * model. Both are null while they load.
 */
export function useVoices(model: string) {
  const { data, error, mutate } = useSWR("/v1/audio/voices", () => withPlaygroundKey(listVoices), {
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  });
  const voices = useMemo(() => (data ? voicesOfModel(data, model) : null), [data, model]);
  // SWR types errors as any.
  return { all: data ?? null, voices, error: error as unknown, reload: () => void mutate() };
}
