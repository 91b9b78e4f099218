import type { GatewayContext } from "../context";
import { countText } from "../embeddings/count-inputs";

/** Tokens of one field that an upstream reads besides the text to speak: instructions, tools, styles. */
interface Guidance {
  field: string;
  tokens: number;
}

/** Most characters that are counted of a field. No speech model reads as many, and counting megabytes takes seconds. */
const MAX_CHARACTERS = 200_000;

/** Counts each field of `texts`, without blocking other calls. Throws `caller_left`. */
export async function countGuidance(
  ctx: GatewayContext,
  texts: Readonly<Record<string, string>>,
): Promise<Guidance[]> {
  const counted: Guidance[] = [];
  for (const [field, text] of Object.entries(texts))
    counted.push({ field, tokens: await countText(ctx, text.slice(0, MAX_CHARACTERS)) });
  return counted;
}

/** Tokens of all fields besides those that the channel ignored. */
export function guidanceTokens(guidance: readonly Guidance[], ignored: readonly string[] = []): number {
  return guidance.reduce((sum, { field, tokens }) => (ignored.includes(field) ? sum : sum + tokens), 0);
}
