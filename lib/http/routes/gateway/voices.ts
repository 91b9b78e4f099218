import { VoiceList } from "../../../contracts/gateway/voices";
import { listVoices } from "../../../gateway/speech/list-voices";
import { jsonReply } from "../../core/respond";
import { gatewayRoute } from "../../core/route";

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
