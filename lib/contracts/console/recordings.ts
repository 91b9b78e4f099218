import { z } from "zod";

/** Largest recording, in bytes: 6 hours of 24 kHz mono s16, several times what one call can speak. */
export const MAX_RECORDING_BYTES = 1024 * 1024 * 1024;

/** `POST /api/recordings/encode?format=…`: output formats. */
export const EncodeRecordingQuery = z.strictObject({ format: z.enum(["mp3", "opus", "aac", "flac"]) });
export type EncodeRecordingQuery = z.output<typeof EncodeRecordingQuery>;
