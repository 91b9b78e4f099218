import { z } from "zod";
import { ELEVENLABS_SHAPE } from "../../contracts/console/channel-options";
import { optionsReader } from "../upstream/channel-options";

export const ELEVENLABS_OPTIONS = optionsReader(z.strictObject(ELEVENLABS_SHAPE), z.object(ELEVENLABS_SHAPE));
export const ELEVENLABS_BASE = "https://api.elevenlabs.io/v1";
