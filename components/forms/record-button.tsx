"use client";

import { ChevronDownIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { fieldClasses } from "../ui/input";
import { type Choice, type RecordKind, useChoice } from "./record-choices";

export interface RecordSelectProps
  extends Pick<ComponentProps<"select">, "id" | "className" | "aria-invalid" | "aria-describedby"> {
  kind: RecordKind;
  label: string;
  value: string;
  onValueChange(value: string): unknown;
  /** Choices that are not records, such as "any"; the records follow them. */
  fixed: readonly Choice[];
  /** ID of a record that is not offered. */
  except?: string;
  /** The name of a chosen record that the list does not have. */
  unknownName?: string;
}

/** A button that looks like a select. Its accessible name consists of the label and the chosen record. */
export function RecordButton({
  kind,
  label,
  value,
  onValueChange: _,
  fixed,
  except: _except,
  unknownName,
  className,
  ...props
}: RecordSelectProps & Omit<ComponentProps<"button">, keyof RecordSelectProps>) {
  const t = useTranslations("common");
  const chosen = fixed.find((one) => one.value === value);
  const record = useChoice(kind, chosen ? "" : value);
  const name = (chosen ?? record)?.name ?? unknownName ?? value;
  return (
    <button
      type="button"
      {...props}
      aria-label={t("labelled", { label, value: name })}
      className={cn(
        fieldClasses,
        "flex h-9 min-w-0 items-center justify-between gap-2 text-left read-only:bg-panel pointer-coarse:h-11",
        className,
      )}
    >
      <span className="truncate">{name}</span>
      <ChevronDownIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
    </button>
  );
}
