import { z } from "zod";
import { COMMON_OPTIONS, optionsReader } from "../upstream/channel-options";

const share = z.number().min(0).max(1).optional();

const SHAPE = {
  ...COMMON_OPTIONS,
  /** Sent as `voice_settings` with every call; absent ones are the voice's own. */
  voice_settings: z
    .strictObject({
      stability: share,
      similarity_boost: share,
      style: share,
      use_speaker_boost: z.boolean().optional(),
    })
    .optional(),
  /** Rates above 24,000 need a larger plan there; 16,000 and 22,050 exist for older ones. */
  sample_rate: z.literal([16_000, 22_050, 24_000, 44_100]).optional(),
  /** False: requests are not kept there (zero retention; enterprise plans). */
  enable_logging: z.boolean().optional(),
};

export const ELEVENLABS_OPTIONS = optionsReader(z.strictObject(SHAPE), z.object(SHAPE));
export const ELEVENLABS_BASE = "https://api.elevenlabs.io/v1";
