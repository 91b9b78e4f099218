import useSWR from "swr";
import { type GatewayVoice, listVoices } from "../../lib/client/gateway-models";
import { withPlaygroundKey } from "../../lib/client/with-playground-key";

/** Voices of the models the signed-in user may call, read with the playground key; null while they load. */
export function useVoices(): { voices: GatewayVoice[] | null; error: unknown; reload(): void } {
  const { data, error, mutate } = useSWR<GatewayVoice[]>(
    "/v1/audio/voices",
    () => withPlaygroundKey(listVoices),
    {
      revalidateOnFocus: false,
      revalidateOnReconnect: false,
    },
  );
  return { voices: data ?? null, error, reload: () => void mutate() };
}
