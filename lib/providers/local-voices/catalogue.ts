import { z } from "zod";
import type { CatalogueVoice } from "../../ports/local-voices";
import entries from "./catalogue.json";

/** The archives of sherpa-onnx's publisher. It gives no digests, so `sha256` is null; the sizes are rounded. */
const PUBLISHER = "https://github.com/k2-fsa/sherpa-onnx/releases/download/tts-models/";

const Entries = z.array(
  z.strictObject({
    name: z.string(),
    languages: z.array(z.string()),
    quality: z.enum(["low", "medium", "high"]),
    size_mb: z.number().nullable(),
    licence: z.string(),
    archive: z.string(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
  }),
);

/** The voices that can be installed by name, from the publisher or a mirror of its archives. */
export function readCatalogue(mirror: string | null): readonly CatalogueVoice[] {
  const base = mirror === null ? PUBLISHER : `${mirror.replace(/\/$/, "")}/`;
  return Entries.parse(entries).map(({ size_mb: sizeMb, archive, ...rest }) => ({
    ...rest,
    sizeMb,
    url: `${base}${archive}`,
  }));
}
