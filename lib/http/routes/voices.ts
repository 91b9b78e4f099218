import { VoiceList } from "../../contracts/voices";
import { listVoices } from "../../domain/gateway/list-voices";
import { jsonReply } from "../respond";
import { gatewayRoute } from "../route";

export const VOICES_ROUTES = [
  gatewayRoute({
    surface: "openai",
    method: "GET",
    path: "/v1/audio/voices",
    operation: "speech",
    summary: "List the voices of the models this key may use",
    reply: VoiceList,
    handle: async (ctx) =>
      jsonReply(200, { object: "list", voices: await listVoices(ctx) } satisfies VoiceList),
  }),
];
