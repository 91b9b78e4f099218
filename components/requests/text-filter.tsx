"use client";

import { useSearchParams } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { useTranslations } from "use-intl";
import type { CallFilter } from "@/lib/client/calls";
import { pushQueryParams } from "@/lib/client/query-params";
import { cn } from "../ui/class-names";
import { Input, Label } from "../ui/input";

/** A filter typed as text; applied on Enter or when the field loses focus. */
export function TextFilter({
  name,
  className,
  ...input
}: { name: CallFilter } & Pick<
  ComponentProps<typeof Input>,
  "className" | "type" | "placeholder" | "maxLength"
>) {
  const t = useTranslations("requests.filter");
  const value = useSearchParams().get(name) ?? "";
  const [appliedValue, setAppliedValue] = useState(value);
  const [text, setText] = useState(value);
  // The URL changed by a link or "Clear filters": takes over its value.
  if (appliedValue !== value) {
    setAppliedValue(value);
    setText(value);
  }
  const apply = () => pushQueryParams({ [name]: text.trim() || null });
  return (
    <div className={cn("grid min-w-0 gap-1", className)}>
      <Label htmlFor={`filter-${name}`} className="text-xs text-ink-faint">
        {t(name)}
      </Label>
      <Input
        id={`filter-${name}`}
        value={text}
        placeholder={t("any")}
        {...input}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
        }}
      />
    </div>
  );
}
