import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import { CodeBlock } from "./code-block";
import { type Block, readMarkdown } from "./read-markdown";

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/;

/** Inline Markdown: `code`, **bold** and [links](/keys). */
function Inline({ text }: { text: string }): ReactNode {
  return text.split(INLINE).map((piece, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change order
    return <Fragment key={index}>{inlinePiece(piece)}</Fragment>;
  });
}

function inlinePiece(piece: string): ReactNode {
  if (piece.startsWith("`")) return <code className="rounded-sm bg-sunken px-1">{piece.slice(1, -1)}</code>;
  if (piece.startsWith("**")) return <strong className="font-medium text-ink">{piece.slice(2, -2)}</strong>;
  const [, label, href] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece) ?? [];
  if (label === undefined || href === undefined) return piece;
  return (
    <Link
      prefetch={false}
      href={href}
      className="text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
    >
      {label}
    </Link>
  );
}

function BlockView({ block, codeLabel }: { block: Block; codeLabel: string }): ReactNode {
  switch (block.kind) {
    case "heading":
      return (
        <h2 id={block.anchor} className="mt-6 scroll-mt-20 text-lg font-medium text-ink">
          {block.text}
        </h2>
      );
    case "paragraph":
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List className={block.isOrdered ? "grid list-decimal gap-2 pl-6" : "grid list-disc gap-2 pl-6"}>
          {block.items.map((item) => (
            <li key={item}>
              <Inline text={item} />
            </li>
          ))}
        </List>
      );
    }
    case "code":
      return <CodeBlock code={block.text} label={codeLabel} isFullHeight />;
    default:
      return block satisfies never;
  }
}

/** Renders a guide. Server only, so that the browser does not load the parser. `samples` fill `{{sample:name}}` lines. */
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
      {readMarkdown(text, samples).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never change order
        <BlockView key={index} block={block} codeLabel={codeLabel} />
      ))}
    </div>
  );
}
