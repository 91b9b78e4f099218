"use client";

import { XIcon } from "lucide-react";
import { type ComponentProps, type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { cn } from "../ui/class-names";
import { fieldClasses } from "../ui/input";
import { splitWords, WORD_SEPARATOR } from "./limit-values";

const MAX_SUGGESTIONS = 8;

/** The words, the text being typed and the suggestions for it. */
function useChips(value: string, onValueChange: (value: string) => void, suggestions: readonly string[]) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const chips = splitWords(value);
  const matches = suggestions
    .filter((one) => !chips.includes(one) && one.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_SUGGESTIONS);
  const showsList = isOpen && matches.length > 0;

  const setChips = (next: readonly string[]) => onValueChange([...new Set(next)].join(" "));
  const add = (word: string) => {
    setChips([...chips, word]);
    setText("");
    setActive(-1);
  };
  return {
    chips,
    text,
    matches,
    active,
    showsList,
    add,
    remove: (chip: string) => setChips(chips.filter((one) => one !== chip)),
    open: () => setOpen(true),
    leave() {
      setOpen(false);
      if (text !== "") add(text);
    },
    type(typed: string) {
      const words = typed.split(WORD_SEPARATOR);
      const rest = words.pop() ?? "";
      if (words.some(Boolean)) setChips([...chips, ...words.filter(Boolean)]);
      setText(rest);
      setActive(-1);
      setOpen(true);
    },
    onKeyDown(event: KeyboardEvent) {
      if (isComposing(event.nativeEvent)) return;
      if (event.key === "Enter" && (text !== "" || (showsList && active >= 0))) {
        event.preventDefault();
        add(matches[active] ?? text);
      } else if (event.key === "Backspace" && text === "") setChips(chips.slice(0, -1));
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        setOpen(true);
        const step = event.key === "ArrowDown" ? 1 : -1;
        setActive(matches.length === 0 ? -1 : (active + step + matches.length) % matches.length);
      } else if (event.key === "Escape") setOpen(false);
    },
  };
}

function Chip({ name, onRemove }: { name: string; onRemove(): void }) {
  const t = useTranslations("common");
  return (
    <span className="inline-flex max-w-full items-center rounded-sm border bg-sunken pl-2 font-mono text-sm">
      <span className="min-w-0 truncate">{name}</span>
      <button
        type="button"
        aria-label={t("removeChip", { name })}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink pointer-coarse:size-8"
        onClick={onRemove}
      >
        <XIcon aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  );
}

/** `optionId`: the element ID of an option, with which the input refers to the active one. */
function Suggestions({
  id,
  optionId,
  list: { matches, active, add },
}: {
  id: string;
  optionId(index: number): string;
  list: ReturnType<typeof useChips>;
}) {
  const t = useTranslations("common");
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t("suggestions")}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-56 overflow-y-auto rounded-md border bg-raised p-1 shadow-float"
    >
      {matches.map((word, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys of its list
        <div
          key={word}
          id={optionId(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className="cursor-pointer truncate rounded-sm px-2 py-1.5 font-mono text-sm hover:bg-hover aria-selected:bg-hover pointer-coarse:py-2.5"
          // The input keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => add(word)}
        >
          {word}
        </div>
      ))}
    </div>
  );
}

/**
 * A list of words as chips. A separator, Enter or leaving the field adds the word that was typed; Backspace in the
 * empty field removes the last chip. `value`: the words, separated by spaces.
 */
export function ChipInput({
  value,
  onValueChange,
  suggestions,
  control,
}: {
  value: string;
  onValueChange(value: string): void;
  suggestions: readonly string[];
  /** The props of a field's control. */
  control: Pick<ComponentProps<"input">, "id" | "aria-invalid" | "aria-describedby">;
}) {
  const listId = useId();
  const optionId = (index: number) => `${listId}-${index}`;
  const list = useChips(value, onValueChange, suggestions);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="relative">
      <div
        className={cn(
          fieldClasses,
          "flex min-h-9 flex-wrap items-center gap-1.5 px-1.5 py-1 focus-within:border-ink focus-within:outline-1 pointer-coarse:min-h-11",
          control["aria-invalid"] && "border-bad",
        )}
      >
        {list.chips.map((chip) => (
          <Chip
            key={chip}
            name={chip}
            onRemove={() => {
              list.remove(chip);
              input.current?.focus();
            }}
          />
        ))}
        <input
          {...control}
          ref={input}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={list.showsList}
          aria-controls={list.showsList ? listId : undefined}
          aria-activedescendant={list.showsList && list.active >= 0 ? optionId(list.active) : undefined}
          value={list.text}
          onChange={(event) => list.type(event.target.value)}
          onKeyDown={list.onKeyDown}
          onFocus={list.open}
          onBlur={list.leave}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          className="w-24 flex-1 bg-transparent px-1.5 py-0.5 font-mono outline-none"
        />
      </div>
      {list.showsList ? <Suggestions id={listId} optionId={optionId} list={list} /> : null}
    </div>
  );
}
