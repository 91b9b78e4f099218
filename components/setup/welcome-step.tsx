"use client";

import { useTranslations } from "use-intl";
import type { SetupState } from "@/lib/contracts/console/setup";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { StepActions, StepBody } from "./wizard-frame";

/** Compares meanings; the other built-in embedding model compares words. */
const ENGLISH_MODEL = "patchbay-embed-en";

export type NewInstance = Extract<SetupState, { status: false }>;

export function WelcomeStep({ state, onNext }: { state: NewInstance; onNext(): void }) {
  const t = useTranslations("setup.welcome");
  const rows = [
    { name: t("store"), value: t(state.database_type) },
    {
      name: t("engines"),
      value: (
        <ul className="grid gap-1">
          {state.engines.map((engine) => (
            <li key={engine.model} className="flex flex-wrap items-baseline gap-x-2">
              <StatusDot tone="good" className="self-center" />
              <code>{engine.model}</code>
              <span className="text-ink-muted">
                {t(engine.model === ENGLISH_MODEL ? "semantic" : engine.operation)}
              </span>
            </li>
          ))}
        </ul>
      ),
    },
    { name: t("version"), value: <span className="tabular">{state.version}</span> },
  ];
  return (
    <StepBody title={t("title")} text={t("text")}>
      <dl className="divide-y rounded-md border bg-panel">
        {rows.map((row) => (
          <div key={row.name} className="grid gap-1 px-5 py-4 sm:grid-cols-[10rem_1fr]">
            <dt className="text-ink-muted">{row.name}</dt>
            <dd>{row.value}</dd>
          </div>
        ))}
      </dl>
      <StepActions>
        <Button size="lg" onClick={onNext}>
          {t("begin")}
        </Button>
      </StepActions>
    </StepBody>
  );
}
