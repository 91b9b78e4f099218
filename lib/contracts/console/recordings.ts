import { z } from "zod";

/** Largest recording, in bytes: 46 minutes of 24 kHz mono s16. */
export const MAX_RECORDING_BYTES = 128 * 1024 * 1024;

/** `POST /api/recordings/encode?format=…`: output formats. */
export const EncodeRecordingQuery = z.strictObject({ format: z.enum(["mp3", "opus", "aac", "flac"]) });
export type EncodeRecordingQuery = z.output<typeof EncodeRecordingQuery>;
