"use client";

import { FileTextIcon, PlusIcon } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { Textarea } from "../ui/input";
import { linesOf } from "./texts";

/** Adds texts: typed, pasted (one per line) or from a file. */
export function TextComposer({
  onAdd,
  onFiles,
}: {
  onAdd(texts: string[]): void;
  onFiles(files: File[]): void;
}) {
  const t = useTranslations("embeddings.texts");
  const id = useId();
  const [text, setText] = useState("");

  const add = () => {
    if (text.trim() === "") return;
    onAdd([text.trim()]);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter confirms an input method's composition; Shift+Enter is a line break; Ctrl+Enter starts the call.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    add();
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData.getData("text/plain"));
    if (lines.length < 2 || text !== "") return;
    event.preventDefault();
    onAdd(lines);
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
      <Actions onAdd={add} text={text} onFiles={onFiles} />
      <p className="text-xs text-ink-faint">{t("fileHint")}</p>
    </div>
  );
}

/** The buttons that add the text, or texts from files. */
function Actions({ onAdd, text, onFiles }: { onAdd(): void; text: string; onFiles(files: File[]): void }) {
  const t = useTranslations("embeddings.texts");
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button variant="outline" size="sm" onClick={onAdd} disabled={text.trim() === ""}>
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
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </div>
  );
}
