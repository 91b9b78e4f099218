import { lexer, type MarkedToken, type Token } from "marked";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "../ui/class-names";
import { CodeBlock } from "../ui/code-block";

/** Characters of inline code that fit on a line of a phone. */
const MAX_UNBROKEN = 32;

const SAMPLE = /^\{\{sample:([\w-]+)\}\}$/gm;

/** Letters and digits of any script, joined by dashes. */
function anchorOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join("-");
}

/** The Markdown of a guide as tokens; `{{sample:name}}` lines become fenced code. */
export function readMarkdown(text: string, samples: Readonly<Record<string, string>> = {}): Token[] {
  const filled = text.replace(SAMPLE, (_, name: string) => `\`\`\`\n${samples[name] ?? ""}\n\`\`\``);
  return lexer(filled).filter((token) => token.type !== "space");
}

function Tokens({ tokens, codeLabel }: { tokens: readonly Token[] | undefined; codeLabel: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a text never change order
  return tokens?.map((token, index) => <TokenView key={index} token={token} codeLabel={codeLabel} />);
}

function TokenView({ token: anyToken, codeLabel }: { token: Token; codeLabel: string }): ReactNode {
  // Type assertion: without extensions, marked returns only its own token types.
  const token = anyToken as MarkedToken;
  const inner =
    "tokens" in token && token.tokens ? <Tokens tokens={token.tokens} codeLabel={codeLabel} /> : null;
  switch (token.type) {
    case "heading":
      return (
        <h2 id={anchorOf(token.text)} className="mt-6 scroll-mt-4 text-lg font-medium text-ink">
          {inner}
        </h2>
      );
    case "paragraph":
      return <p>{inner}</p>;
    case "list": {
      const List = token.ordered ? "ol" : "ul";
      return (
        <List className={cn("grid grid-cols-1 gap-2 pl-6", token.ordered ? "list-decimal" : "list-disc")}>
          {token.items.map((item) => (
            <li key={item.raw} className="[&>[role=group]]:my-2">
              <Tokens tokens={item.tokens} codeLabel={codeLabel} />
            </li>
          ))}
        </List>
      );
    }
    case "code":
      return <CodeBlock code={token.text} label={codeLabel} isFullHeight />;
    case "codespan":
      return (
        // Short code is not wrapped: browsers break lines after hyphens, as in the name of a command-line option.
        <code
          className={cn(
            "rounded-sm bg-sunken px-1",
            token.text.length <= MAX_UNBROKEN && "whitespace-nowrap",
          )}
        >
          {token.text}
        </code>
      );
    case "strong":
      return <strong className="font-medium text-ink">{inner}</strong>;
    case "link":
      return (
        <Link
          prefetch={false}
          href={token.href}
          className="text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {inner}
        </Link>
      );
    case "text":
      return inner ?? token.text;
    case "escape":
      return token.text;
    default:
      // Guides use no other tokens. The source is shown as text, never as HTML.
      return token.raw;
  }
}

/** Renders a guide, on the server only: the browser never loads the parser. `samples` fill `{{sample:name}}` lines. */
export function Markdown({
  text,
  samples,
  codeLabel,
}: {
  text: string;
  samples: Readonly<Record<string, string>>;
  codeLabel: string;
}) {
  return (
    // Text is limited to a readable line length; code blocks use the full width.
    <div className="grid min-w-0 grid-cols-1 gap-4 text-base leading-6 text-ink-muted [&>:not([role=group])]:max-w-prose">
      <Tokens tokens={readMarkdown(text, samples)} codeLabel={codeLabel} />
    </div>
  );
}
