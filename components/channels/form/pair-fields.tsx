"use client";

import { PlusIcon, XIcon } from "lucide-react";
import { useRef } from "react";
import { nextRowId } from "@/components/channels/channel-draft";
import type { NamedText } from "@/components/channels/channel-options";
import { FormAlert } from "../../forms/field";
import { Button } from "../../ui/button";
import { Input } from "../../ui/input";
import { leaveRow } from "../../ui/leave-row";

interface PairFieldsProps {
  texts: {
    title: string;
    hint: string;
    name: string;
    value: string;
    add: string;
    remove(name: string): string;
  };
  pairs: readonly NamedText[];
  errors: readonly string[];
  onChange(pairs: NamedText[]): void;
}

/** A list of name–value pairs: headers, voices. */
export function PairFields({ texts, pairs, errors, onChange }: PairFieldsProps) {
  const add = useRef<HTMLButtonElement>(null);
  const change = (pair: NamedText, part: Partial<NamedText>) =>
    onChange(pairs.map((one) => (one.id === pair.id ? { ...one, ...part } : one)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{texts.title}</legend>
      <p className="text-sm text-ink-muted">{texts.hint}</p>
      {pairs.map((pair) => (
        <div key={pair.id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
          {(["name", "value"] as const).map((part) => (
            <Input
              key={part}
              aria-label={texts[part]}
              placeholder={texts[part]}
              value={pair[part]}
              onChange={(event) => change(pair, { [part]: event.target.value })}
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
            />
          ))}
          <Button
            variant="ghost"
            size="icon"
            aria-label={texts.remove(pair.name)}
            onClick={(event) => {
              leaveRow(event.currentTarget.parentElement, "button", add.current);
              onChange(pairs.filter(({ id }) => id !== pair.id));
            }}
          >
            <XIcon />
          </Button>
        </div>
      ))}
      <Button
        ref={add}
        variant="outline"
        size="sm"
        className="w-fit"
        onClick={() => onChange([...pairs, { id: nextRowId(), name: "", value: "" }])}
      >
        <PlusIcon aria-hidden="true" />
        {texts.add}
      </Button>
      {errors.map((message) => (
        <FormAlert key={message} error={message} />
      ))}
    </fieldset>
  );
}
