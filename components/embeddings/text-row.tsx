"use client";

import { PencilIcon, XIcon } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { fieldClasses } from "../ui/input";
import { type FocusStore, highlightOf, isHighlighted, useFocus } from "./focus-store";

const actionClasses =
  "hidden size-7 shrink-0 items-center justify-center rounded-sm text-ink-faint transition-colors hover:bg-sunken hover:text-ink focus-visible:inline-flex group-focus-within:inline-flex group-hover:inline-flex pointer-coarse:inline-flex pointer-coarse:size-9 [&_svg]:size-3.5";

/** One text of the list: highlighted together with its cell and its point; a click pins it. */
export const TextRow = memo(function TextRow({
  id,
  index,
  text,
  focus,
  isAligned,
  onChange,
  onRemove,
}: {
  id: number;
  index: number;
  text: string;
  focus: FocusStore;
  /** The aligned matrix row shows the number. */
  isAligned: boolean;
  onChange(id: number, text: string): void;
  onRemove(id: number): void;
}) {
  const t = useTranslations("embeddings.texts");
  const number = index + 1;
  const isOn = useFocus(focus, (state) => isHighlighted(highlightOf(state), index));
  const isPinned = useFocus(focus, (state) => isHighlighted(state.pinned, index));
  const [isEditing, setEditing] = useState(false);
  const row = useRef<HTMLLIElement>(null);

  // Scrolls the list only, not the page, as scrollIntoView would.
  useEffect(() => {
    const list = row.current?.closest<HTMLElement>("[data-texts]");
    if (!isPinned || !row.current || !list) return;
    const { offsetTop: top, offsetHeight: height } = row.current;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + list.clientHeight)
      list.scrollTop = top + height - list.clientHeight;
  }, [isPinned]);

  return (
    <li
      ref={row}
      onPointerEnter={() => focus.hover({ row: index, column: null })}
      onPointerLeave={() => focus.hover(null)}
      className={cn(
        "group flex h-[var(--row,2.25rem)] items-center gap-1 rounded-sm pr-1 [contain-intrinsic-size:auto_2.25rem] [content-visibility:auto] pointer-coarse:min-h-10",
        isOn ? "bg-signal-soft" : "hover:bg-hover",
      )}
    >
      {isEditing ? (
        <TextEditor
          label={t("editing", { number })}
          text={text}
          onDone={(next) => {
            setEditing(false);
            if (next !== null && next !== text) onChange(id, next);
          }}
        />
      ) : (
        <>
          <button
            type="button"
            aria-label={t("select", { number, text })}
            aria-pressed={isPinned}
            title={text}
            onClick={() => focus.pin(isPinned ? null : { row: index, column: null })}
            onDoubleClick={() => setEditing(true)}
            className="flex h-full min-w-0 flex-1 items-center gap-2 rounded-sm pl-1 text-left -outline-offset-2"
          >
            <span
              className={cn(
                "tabular w-7 shrink-0 text-right text-xs",
                isOn ? "font-medium text-signal-ink" : "text-ink-faint",
                isAligned && "md:hidden",
              )}
            >
              {number}
            </span>
            <span className="truncate text-sm">{text}</span>
          </button>
          <button
            type="button"
            aria-label={t("edit", { number })}
            onClick={() => setEditing(true)}
            className={actionClasses}
          >
            <PencilIcon />
          </button>
          <button
            type="button"
            aria-label={t("remove", { number })}
            onClick={() => onRemove(id)}
            className={actionClasses}
          >
            <XIcon />
          </button>
        </>
      )}
    </li>
  );
});

/** Enter or leaving the field saves, Escape discards. */
function TextEditor({
  label,
  text,
  onDone,
}: {
  label: string;
  text: string;
  onDone(text: string | null): void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = () => onDone(field.current?.value.trim() || null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") save();
    if (event.key === "Escape") onDone(null);
  };
  return (
    <input
      ref={field}
      aria-label={label}
      defaultValue={text}
      onBlur={save}
      onKeyDown={onKeyDown}
      className={cn(fieldClasses, "h-full min-h-7 px-2 text-sm")}
    />
  );
}
