/** A block of the Markdown subset that the guides use. */
export type Block =
  | { kind: "heading"; text: string; anchor: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; isOrdered: boolean; items: string[] }
  | { kind: "code"; language: string; text: string };

const HEADING = /^## (.+)$/;
const FENCE = /^```(\w*)$/;
const SAMPLE = /^\{\{sample:([\w-]+)\}\}$/;
const ITEM = /^(?:-|(\d+)\.) (.+)$/;

/** Letters and digits of any script, joined by dashes. */
function anchorOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join("-");
}

/** Parses `## ` headings, paragraphs, lists, fenced code and `{{sample:name}}` lines; an empty line ends a block. */
export function readMarkdown(text: string, samples: Readonly<Record<string, string>> = {}): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const last = blocks.at(-1);
    const continuesBlock = (lines[at - 1] ?? "") !== "";
    const [, heading] = HEADING.exec(line) ?? [];
    const [fence, language = ""] = FENCE.exec(line) ?? [];
    const [, sample] = SAMPLE.exec(line) ?? [];
    const [item, number, itemText = ""] = ITEM.exec(line) ?? [];
    if (fence !== undefined) {
      const end = lines.indexOf("```", at + 1);
      blocks.push({ kind: "code", language, text: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else if (sample !== undefined) {
      blocks.push({ kind: "code", language: "", text: samples[sample] ?? "" });
    } else if (heading !== undefined) {
      blocks.push({ kind: "heading", text: heading, anchor: anchorOf(heading) });
    } else if (item !== undefined) {
      if (last?.kind === "list" && continuesBlock) last.items.push(itemText);
      else blocks.push({ kind: "list", isOrdered: number !== undefined, items: [itemText] });
    } else if (line !== "") {
      if (last?.kind === "paragraph" && continuesBlock) last.text += ` ${line}`;
      else blocks.push({ kind: "paragraph", text: line });
    }
  }
  return blocks;
}
