import { createRequire } from "node:module";
import path from "node:path";

/** cl100k_base: ranks by bytes (a Latin-1 string, one character per byte) and bytes by rank. */
export interface Vocabulary {
  rankOf: ReadonlyMap<string, number>;
  bytesOf(token: number): string | undefined;
}

/** Special tokens have IDs but are not in the merges: a text that spells one out is ordinary text. */
const SPECIAL = new Map([
  [100_257, "<|endoftext|>"],
  [100_258, "<|fim_prefix|>"],
  [100_259, "<|fim_middle|>"],
  [100_260, "<|fim_suffix|>"],
  [100_276, "<|endofprompt|>"],
]);

let loaded: Vocabulary | null = null;

/**
 * The 100,256 tokens, loaded on first use (about 70 ms and 37 MB): at the server's start, never by the admin command.
 */
export function vocabulary(): Vocabulary {
  if (loaded !== null) return loaded;
  // Not an import: bundlers would inline a megabyte, and an `import()` would make counting asynchronous.
  const requireFromRoot = createRequire(path.join(process.cwd(), "package.json"));
  // The package's type for this file is `RawBytePairRanks`: text, or bytes where they are not valid UTF-8.
  const { default: ranks } = requireFromRoot("gpt-tokenizer/cjs/bpeRanks/cl100k_base") as {
    default: readonly (string | readonly number[] | undefined)[];
  };
  const rankOf = new Map<string, number>();
  const bytesOf: (string | undefined)[] = new Array(ranks.length);
  ranks.forEach((token, rank) => {
    if (token === undefined) return;
    const bytes = (typeof token === "string" ? Buffer.from(token, "utf8") : Buffer.from(token)).toString(
      "latin1",
    );
    rankOf.set(bytes, rank);
    bytesOf[rank] = bytes;
  });
  loaded = { rankOf, bytesOf: (token) => bytesOf[token] ?? SPECIAL.get(token) };
  return loaded;
}
