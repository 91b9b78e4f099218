"use client";

import { useId } from "react";
import { type Control, useController } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { CreateKey, Operation } from "@/lib/contracts/console/api-keys";
import { Checkbox } from "../ui/checkbox";
import { Notice } from "../ui/notice";
import type { KeyValues } from "./key-values";

/** Checkboxes for a key's permissions, each with a description. */
export function OperationChoice({
  control,
  mayManage,
  hint,
  error,
}: {
  control: Control<KeyValues, unknown, CreateKey>;
  mayManage: boolean;
  hint?: string | null;
  error?: string;
}) {
  const t = useTranslations("apiKeys");
  const id = useId();
  const { field } = useController({ control, name: "operations" });
  const choices: Operation[] = ["speech", "embeddings", ...(mayManage ? ["manage" as const] : [])];
  return (
    <fieldset className="grid gap-2" aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="mb-1.5 text-sm font-medium">{t("form.operations")}</legend>
      {choices.map((operation) => (
        <label
          key={operation}
          htmlFor={`${id}-${operation}`}
          className="flex w-fit cursor-pointer items-start gap-2.5 pointer-coarse:min-h-9"
        >
          <Checkbox
            id={`${id}-${operation}`}
            aria-describedby={`${id}-${operation}-text`}
            aria-invalid={error ? true : undefined}
            className="mt-0.75"
            checked={field.value.includes(operation)}
            onBlur={field.onBlur}
            onCheckedChange={(checked) =>
              field.onChange(
                choices.filter((one) => (one === operation ? checked === true : field.value.includes(one))),
              )
            }
          />
          <span className="flex flex-wrap gap-x-2">
            {t(`operation.${operation}`)}
            <span id={`${id}-${operation}-text`} className="text-ink-muted">
              {t(`operationText.${operation}`)}
            </span>
          </span>
        </label>
      ))}
      {field.value.includes("manage") ? (
        <Notice tone="warn" title={t("managingTitle")} className="mt-1">
          {t("managingText")}
        </Notice>
      ) : null}
      {hint ? <p className="text-sm text-ink-muted">{hint}</p> : null}
      <p id={`${id}-error`} role="alert" className={error ? "text-sm text-bad" : "hidden"}>
        {error}
      </p>
    </fieldset>
  );
}
