import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Locale } from "@/lib/messages/locale";

/** The guides in reading order. The text of each is lib/messages/<locale>/guides/<name>.md. */
export const GUIDES = [
  "sdks",
  "upstreams",
  "servers",
  "speakers",
  "budgets",
  "alerts",
  "two-factor",
  "backup",
  "proxy",
  "containers",
  "kubernetes",
  "scale",
] as const;

export type GuideName = (typeof GUIDES)[number];

export interface Guide {
  name: GuideName;
  title: string;
  lead: string;
  /** Markdown, with `{{origin}}` and `{{sample:name}}` still to be filled in (components/api-docs/markdown.tsx). */
  text: string;
}

/** Reads a guide: a `# ` title, a paragraph that is the lead, then the text. */
export async function readGuide(locale: Locale, name: GuideName): Promise<Guide> {
  // Read at run time, not bundled: the server's working directory is the project's root (lib/server/start.mjs).
  const root = path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "messages");
  const file = path.join(root, locale, "guides", `${name}.md`);
  const [, title, lead, text] = /^# (.+)\n\n(.+)\n\n([\s\S]+)$/.exec(await readFile(file, "utf8")) ?? [];
  if (title === undefined || lead === undefined || text === undefined)
    throw new Error(`${file} must start with a title, a lead and a text.`);
  return { name, title, lead, text };
}

export function readGuides(locale: Locale): Promise<Guide[]> {
  return Promise.all(GUIDES.map((name) => readGuide(locale, name)));
}
