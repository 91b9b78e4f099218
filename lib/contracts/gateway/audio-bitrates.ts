/**
 * Bitrates of encoded speech in kilobits per second. The other formats are lossless: FLAC, WAV and raw samples have 16
 * bits per sample. All are 24 kHz mono.
 */
export const BITRATES_KBPS = { mp3: 96, opus: 32, aac: 64 } as const;
