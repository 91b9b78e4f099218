"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { pushQueryParams } from "@/lib/client/query-params";
import type { CallFilter } from "@/lib/client/calls";
import { cn } from "../ui/class-names";
import { Input } from "../ui/input";
import { Label } from "../ui/label";

/** A filter that is written: it counts when Enter is pressed or the field is left. */
export function TextFilter({ name, className }: { name: CallFilter; className?: string }) {
  const t = useTranslations("requests.filter");
  const value = useSearchParams().get(name) ?? "";
  const [seen, setSeen] = useState(value);
  const [text, setText] = useState(value);
  // The address has moved on (a link, "Clear filters"): it is right.
  if (seen !== value) {
    setSeen(value);
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
