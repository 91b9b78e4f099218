"use client";

import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { useUnsaved } from "@/lib/client/unsaved";
import { SaveErrors } from "../forms/call-error";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import type { LabelledField } from "./fields";
import { SearchedSection } from "./search";
import { useSection, useSettingsPage } from "./settings-page-context";
import type { FieldValue, FieldValues, SettingsForm } from "./use-settings-form";

interface FormSectionProps<Values extends FieldValues> {
  form: SettingsForm<Values>;
  title: string;
  text: string;
  /** Display name of a field; default: its label in the messages. */
  nameOf?(field: string): string;
  /** Display text of a field's value in the list of unsaved changes; on and off are not passed. */
  formatText?(name: string, text: string): string;
  children: ReactNode;
}

/** One form of the settings: its fields, the unsaved changes, and its own save button. */
export function FormSection<Values extends FieldValues>(props: FormSectionProps<Values>) {
  const t = useTranslations("settings");
  const { form, title, text, children } = props;
  // Forms whose fields have no label of their own in the messages pass `nameOf`.
  const { nameOf = (field: string) => t(`field.${field as LabelledField}`), formatText } = props;
  const { isReadOnly } = useSettingsPage();
  const isChanged = form.changed.length > 0;
  useUnsaved(isChanged, title, useSection().name);
  return (
    <SearchedSection title={title} text={text}>
      <Form
        noValidate
        aria-label={title}
        tabIndex={-1}
        className="outline-none"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !form.isBusy) void form.save(nameOf);
        }}
      >
        <fieldset disabled={isReadOnly} className="grid gap-5">
          <SaveErrors error={form.error} isStale={form.isStale} stale={t("stale")} />
          {children}
          {isChanged ? <Changes form={form} nameOf={nameOf} formatText={formatText} /> : null}
        </fieldset>
      </Form>
    </SearchedSection>
  );
}

/** The unsaved changes, old → new, with buttons to discard or save them. */
function Changes<Values extends FieldValues>({
  form,
  nameOf,
  formatText,
}: Required<Pick<FormSectionProps<Values>, "form" | "nameOf">> &
  Pick<FormSectionProps<Values>, "formatText">) {
  const t = useTranslations("settings");
  const common = useTranslations("common");
  const bar = useRef<HTMLDivElement>(null);
  // The buttons disappear when there is nothing left to save; the keyboard continues in their form.
  useLayoutEffect(() => {
    const element = bar.current;
    const parent = element?.closest("form");
    return () => {
      parent?.style.removeProperty("--save-bar");
      if (element?.contains(document.activeElement)) parent?.focus({ preventScroll: true });
    };
  }, []);
  // Keeps the focused field visible above the bar, whose height changes with the list of changes. The height is 0 while
  // the section is hidden.
  useLayoutEffect(() => {
    const parent = bar.current?.closest("form");
    if (!parent || !bar.current?.offsetHeight) return;
    parent.style.setProperty("--save-bar", `${bar.current.offsetHeight + 24}px`);
    const { activeElement } = document;
    if (parent.contains(activeElement) && !bar.current.contains(activeElement))
      activeElement?.scrollIntoView({ block: "nearest" });
  });
  const format = (name: string, value: FieldValue) => {
    if (typeof value === "boolean") return t(value ? "value.on" : "value.off");
    return formatText ? formatText(name, String(value)) : String(value) || t("value.none");
  };
  const changeOf = (name: keyof Values & string): string => {
    const [was, is] = [form.saved[name], form.values[name]];
    if (!Array.isArray(was) || !Array.isArray(is))
      return t("from", { from: format(name, was ?? ""), to: format(name, is ?? "") });
    const added = is.filter((item) => !was.includes(item));
    const removed = was.filter((item) => !is.includes(item));
    return [
      ...(added.length > 0 ? [t("added", { list: added.map((item) => format(name, item)).join(", ") })] : []),
      ...(removed.length > 0
        ? [t("removed", { list: removed.map((item) => format(name, item)).join(", ") })]
        : []),
    ].join(" · ");
  };
  return (
    // Sticky: visible at any scroll position of a long form, unless it would cover most of a low window.
    <div
      ref={bar}
      data-save-bar
      className="[@media(min-height:30rem)]:sticky bottom-3 z-10 flex flex-wrap items-end justify-between gap-3 rounded-md border bg-sunken p-3"
    >
      <div className="min-w-0 text-sm" data-testid="changes">
        <p className="text-ink-muted">{t("changes")}</p>
        <ul>
          {form.changed.map((name) => (
            <li key={name} className="tabular break-words">
              {common("labelled", { label: nameOf(name), value: changeOf(name) })}
            </li>
          ))}
        </ul>
      </div>
      <div className="ml-auto flex flex-wrap gap-2">
        <Button variant="ghost" onClick={form.discard}>
          {t("discard")}
        </Button>
        <Button type="submit" isBusy={form.isBusy}>
          {common("save")}
        </Button>
      </div>
    </div>
  );
}
