"use client";

import { CheckIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Wordmark } from "../shell/mark";
import { PreferenceBar } from "../shell/preference-bar";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Progress } from "../ui/progress";
import type { WizardStep } from "./steps";

/** The wizard's layout: progress on the left (at the top on a phone), the current step on the right. */
export function WizardFrame({
  steps,
  current,
  furthest,
  isSignedIn,
  children,
}: {
  steps: readonly WizardStep[];
  current: WizardStep;
  furthest: WizardStep;
  isSignedIn: boolean;
  children: ReactNode;
}) {
  const t = useTranslations("setup");
  const position = steps.indexOf(current);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[19rem_minmax(0,1fr)]">
      <aside className="border-b px-4 py-4 sm:px-8 lg:border-r lg:border-b-0 lg:bg-sunken/50 lg:p-8">
        <div className="flex items-center justify-between">
          <Wordmark />
          <div className="lg:hidden">
            <PreferenceBar isSignedIn={isSignedIn} />
          </div>
        </div>
        <div className="mt-4 grid gap-2 lg:hidden">
          <p className="text-sm text-ink-muted">
            {t("progress", { step: position + 1, total: steps.length })} · {t(`steps.${current}`)}
          </p>
          <Progress label={t("steps.label")} value={position + 1} max={steps.length} />
        </div>
        <ol aria-label={t("steps.label")} className="mt-12 hidden lg:block">
          {steps.map((step, index) => {
            const isCurrent = step === current;
            const isDone = index < steps.indexOf(furthest);
            return (
              <li
                key={step}
                aria-current={isCurrent ? "step" : undefined}
                className={cn(
                  "relative flex items-center gap-3 pb-7 text-base last:pb-0",
                  isCurrent ? "font-medium text-ink" : isDone ? "text-ink-muted" : "text-ink-faint",
                )}
              >
                {index === steps.length - 1 ? null : (
                  <span
                    aria-hidden="true"
                    className={cn(
                      "absolute top-6 bottom-1 left-[0.6875rem] w-0.5 rounded-full",
                      isDone ? "bg-ink" : "bg-line",
                    )}
                  />
                )}
                <StepDot isDone={isDone} isCurrent={isCurrent} />
                {t(`steps.${step}`)}
                {isDone ? <span className="sr-only">({t("steps.done")})</span> : null}
              </li>
            );
          })}
        </ol>
      </aside>
      <div className="flex flex-col">
        <header className="hidden justify-end p-6 lg:flex">
          <PreferenceBar isSignedIn={isSignedIn} />
        </header>
        <main className="mx-auto w-full max-w-2xl flex-1 px-4 py-8 sm:px-8 lg:pt-[8vh]">{children}</main>
      </div>
    </div>
  );
}

function StepDot({ isDone, isCurrent }: { isDone: boolean; isCurrent: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        "flex size-6 shrink-0 items-center justify-center rounded-full border-2",
        isCurrent ? "border-ink bg-panel" : isDone ? "border-ink bg-ink text-on-ink" : "border-line bg-panel",
      )}
    >
      {isCurrent ? (
        <span className="size-2.5 rounded-full bg-signal" />
      ) : isDone ? (
        <CheckIcon className="size-3.5" strokeWidth={3} />
      ) : null}
    </span>
  );
}

/** A step's heading, text and form. `part`: changes when the step shows another heading. */
export function StepBody({
  title,
  text,
  part,
  children,
}: {
  title: string;
  text: ReactNode;
  part?: string;
  children: ReactNode;
}) {
  return (
    <div className="grid gap-8 animate-in fade-in-0 duration-150">
      <div className="grid gap-2">
        <StepHeading key={part} title={title} />
        <p className="max-w-prose text-base text-ink-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}

/** Takes the focus when it appears, so that screen readers announce the step. */
function StepHeading({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    // Balanced lines would break at the hyphen of "two-factor".
    <h1 ref={heading} tabIndex={-1} className="text-2xl text-pretty outline-none">
      {title}
    </h1>
  );
}

/** The row of a step's buttons. */
export function StepActions({ onBack, children }: { onBack?(): void; children: ReactNode }) {
  const t = useTranslations("common");
  return (
    <div className="flex flex-wrap items-center gap-3">
      {onBack ? (
        <Button variant="outline" size="lg" onClick={onBack}>
          {t("back")}
        </Button>
      ) : null}
      {children}
    </div>
  );
}
