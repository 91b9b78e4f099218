import { encodeRecording } from "../../../console/recordings/encode";
import { MAX_RECORDING_BYTES } from "../../../contracts/console/recordings";
import { SPEECH_CONTENT_TYPES } from "../../../contracts/gateway/openai/speech";
import { consoleRoute } from "../../core/route";
import { awaitFirstChunk } from "../../gateway/speech-body";

const FILE_EXTENSIONS = { mp3: "mp3", opus: "ogg", aac: "aac", flac: "flac" } as const;

export const RECORDINGS_ROUTES = [
  consoleRoute("POST /api/recordings/encode", {
    auth: "session",
    maxBodyBytes: MAX_RECORDING_BYTES,
    summary: "Encode a recording of the playground (24 kHz mono s16le) as mp3, opus, aac or flac",
    async handle(ctx, { query: { format }, streamBytes }) {
      return {
        data: null,
        download: {
          contentType: SPEECH_CONTENT_TYPES[format],
          name: `recording.${FILE_EXTENSIONS[format]}`,
          // Waits for the first bytes, so that an error still gets its own status.
          body: await awaitFirstChunk(encodeRecording(ctx, format, streamBytes)),
        },
      };
    },
  }),
];
