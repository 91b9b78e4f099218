"use client";

import { FileTextIcon, PlusIcon, Trash2Icon } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Textarea } from "../ui/input";
import type { DraftText } from "./draft";
import type { FocusStore } from "./focus-store";
import { TextRow } from "./text-row";
import { linesOf, MAX_TEXTS } from "./texts";
import type { EmbeddingsPlaygroundState } from "./use-embeddings-playground";

type TextEdits = EmbeddingsPlaygroundState["edit"];

/** The texts and a field to add new ones. `order`: that of an up-to-date matrix; null keeps the order of the draft. */
export function TextList({
  texts,
  order,
  focus,
  isAligned,
  edit,
}: {
  texts: readonly DraftText[];
  order: readonly number[] | null;
  focus: FocusStore;
  /** The rows are aligned with the matrix rows. */
  isAligned: boolean;
  edit: TextEdits;
}) {
  const t = useTranslations("embeddings.texts");
  const id = useId();
  const rows = (order ?? texts.map((_, at) => at)).flatMap((index) => {
    const one = texts[index];
    return one ? [{ ...one, index }] : [];
  });
  return (
    <section aria-labelledby={id} className="grid min-w-0 grid-cols-1 content-start gap-3">
      <Heading id={id} texts={texts} onClear={edit.clear} />
      {rows.length > 0 ? (
        <ul
          aria-label={t("list")}
          data-texts=""
          className={cn(
            "relative -mx-1 max-h-72 overflow-y-auto overscroll-contain px-1 md:max-h-[34rem]",
            isAligned && "md:mt-(--band) md:mr-0 md:max-h-none md:overflow-visible",
          )}
        >
          {rows.map(({ id: key, index, text }) => (
            <TextRow
              key={key}
              id={key}
              index={index}
              text={text}
              focus={focus}
              isAligned={isAligned}
              onChange={edit.change}
              onRemove={edit.remove}
            />
          ))}
        </ul>
      ) : null}
      <TextComposer edit={edit} />
    </section>
  );
}

function Heading({ id, texts, onClear }: { id: string; texts: readonly DraftText[]; onClear(): void }) {
  const t = useTranslations("embeddings.texts");
  return (
    <div className="flex min-h-9 items-center gap-2">
      <h2 id={id} className="text-lg">
        {t("title")}
      </h2>
      <span className="tabular text-xs text-ink-faint">
        {t("count", { count: texts.length, max: MAX_TEXTS })}
      </span>
      {texts.length > 0 ? (
        <Button
          variant="ghost"
          size="icon-sm"
          className="ml-auto"
          aria-label={t("clear")}
          onClick={(event) => {
            // The button disappears with the texts, so the focus moves to the text field first.
            event.currentTarget
              .closest("section")
              ?.querySelector<HTMLElement>(":scope > div textarea")
              ?.focus();
            onClear();
          }}
        >
          <Trash2Icon />
        </Button>
      ) : null}
    </div>
  );
}

/** Adds texts: typed, pasted (one per line) or from a file. */
function TextComposer({ edit }: { edit: TextEdits }) {
  const t = useTranslations("embeddings.texts");
  const id = useId();
  const [text, setText] = useState("");
  const file = useRef<HTMLInputElement>(null);

  const add = () => {
    if (text.trim() === "") return;
    edit.add([text.trim()]);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter confirms an input method's composition; Shift+Enter is a line break; Ctrl+Enter starts the call.
    if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    add();
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData.getData("text/plain"));
    if (lines.length < 2 || text !== "") return;
    event.preventDefault();
    edit.add(lines);
  };

  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="sr-only">
        {t("add")}
      </label>
      <Textarea
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        placeholder={t("placeholder")}
        className="max-h-48 min-h-16 resize-none"
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="outline" size="sm" onClick={add} disabled={text.trim() === ""}>
          <PlusIcon />
          {t("addAction")}
        </Button>
        <Button variant="ghost" size="sm" onClick={() => file.current?.click()}>
          <FileTextIcon />
          {t("file")}
        </Button>
        <input
          ref={file}
          type="file"
          multiple
          hidden
          tabIndex={-1}
          aria-label={t("file")}
          accept=".txt,.csv,.tsv,text/plain,text/csv"
          onChange={(event) => {
            void edit.addFiles([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </div>
      <p className="text-xs text-ink-faint">{t("fileHint")}</p>
    </div>
  );
}
