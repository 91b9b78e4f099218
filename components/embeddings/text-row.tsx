"use client";

import { type LucideIcon, PencilIcon, XIcon } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { cn } from "../ui/class-names";
import { fieldClasses } from "../ui/input";
import { leaveRow } from "../ui/leave-row";
import { type FocusStore, highlightOf, isHighlighted, useFocus } from "./focus-store";

interface TextRowProps {
  id: number;
  index: number;
  text: string;
  focus: FocusStore;
  /** The row is aligned with its matrix row, which shows the text's number; the list row then hides it. */
  isAligned: boolean;
  onChange(id: number, text: string): void;
  onRemove(id: number): void;
}

/** One text of the list: highlighted together with its cell and its point; a click pins it. */
export const TextRow = memo(function TextRow({
  id,
  index,
  text,
  focus,
  isAligned,
  onChange,
  onRemove,
}: TextRowProps) {
  const t = useTranslations("embeddings.texts");
  const number = index + 1;
  const isOn = useFocus(focus, (state) => isHighlighted(highlightOf(state), index));
  const isPinned = useFocus(focus, (state) => isHighlighted(state.pinned, index));
  const [isEditing, setEditing] = useState(false);
  const row = useListScroll(isPinned);
  const remove = () => {
    leaveRow(row.current, "button", row.current?.closest("section")?.querySelector("textarea"));
    onRemove(id);
  };

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
            // False when the user left the editor for another element.
            const hadFocus = row.current?.contains(document.activeElement);
            flushSync(() => setEditing(false));
            if (hadFocus) row.current?.querySelector("button")?.focus();
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
          <RowAction Icon={PencilIcon} label={t("edit", { number })} onClick={() => setEditing(true)} />
          <RowAction Icon={XIcon} label={t("remove", { number })} onClick={remove} />
        </>
      )}
    </li>
  );
});

/** Scrolls the list to a row that is pinned; scrollIntoView would scroll the page too. */
function useListScroll(isPinned: boolean) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const list = row.current?.closest<HTMLElement>("[data-texts]");
    if (!isPinned || !row.current || !list) return;
    const { offsetTop: top, offsetHeight: height } = row.current;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + list.clientHeight)
      list.scrollTop = top + height - list.clientHeight;
  }, [isPinned]);
  return row;
}

/** A button of the row that is shown while the row has the pointer or the focus. */
function RowAction({ Icon, label, onClick }: { Icon: LucideIcon; label: string; onClick(): void }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="hidden size-7 shrink-0 items-center justify-center rounded-sm text-ink-faint transition-colors hover:bg-sunken hover:text-ink focus-visible:inline-flex group-focus-within:inline-flex group-hover:inline-flex pointer-coarse:inline-flex pointer-coarse:size-9 [&_svg]:size-3.5"
    >
      <Icon />
    </button>
  );
}

/** Enter or leaving the field saves, Shift+Enter is a line break, Escape discards. */
function TextEditor({
  label,
  text,
  onDone,
}: {
  label: string;
  text: string;
  onDone(text: string | null): void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = () => onDone(field.current?.value.trim() || null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      // Otherwise the same key press would click the button that gets the focus.
      event.preventDefault();
      save();
    }
    if (event.key === "Escape") onDone(null);
  };
  return (
    <textarea
      ref={field}
      rows={1}
      aria-label={label}
      defaultValue={text}
      onBlur={save}
      onKeyDown={onKeyDown}
      className={cn(fieldClasses, "h-full min-h-7 resize-none px-2 py-1 text-sm")}
    />
  );
}
