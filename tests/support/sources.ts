import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync } from "vite";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Source {
  /** Path from the project's root, with forward slashes. */
  file: string;
  text: string;
}

/** Every TypeScript file below the given top folders. */
export function sourcesBelow(...folders: string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|mts)$/.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((absolute) => ({
        file: path.relative(ROOT, absolute).replaceAll(path.sep, "/"),
        text: readFileSync(absolute, "utf8"),
      })),
  );
}

/** The syntax tree of a file and its comments. Throws at a syntax error. */
export function parseSource({ file, text }: Source): {
  program: ESTree.Program;
  comments: { start: number; end: number }[];
} {
  const { program, comments, errors } = parseSync(file, text);
  const [first] = errors;
  if (first) throw new Error(`${file}: ${first.message}`);
  return { program, comments };
}

/** The value of a string literal or of a template without expressions; null for other nodes. */
export function literalText(node: ESTree.Node | null): string | null {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node?.type !== "TemplateLiteral" || node.expressions.length > 0) return null;
  return node.quasis[0]?.value.cooked ?? null;
}

export interface Import {
  from: string;
  /** Path from the root for one of our files, otherwise the package name. */
  to: string;
  isOurs: boolean;
  isTypeOnly: boolean;
}

const IMPORT =
  /(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;

/** The static and dynamic imports of a file. */
export function importsOf(source: Source): Import[] {
  return [...source.text.matchAll(IMPORT)].map((match) => {
    const target = match[2] ?? match[3] ?? "";
    const isOurs = target.startsWith(".") || target.startsWith("@/");
    const to = target.startsWith("@/")
      ? target.slice(2)
      : target.startsWith(".")
        ? path.posix.join(path.posix.dirname(source.file), target)
        : target;
    return { from: source.file, to, isOurs, isTypeOnly: match[1] !== undefined };
  });
}
