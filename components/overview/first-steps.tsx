"use client";

import { CheckIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";
import { firstCall } from "./first-call";

const STEPS = ["speech", "embeddings", "factor", "key", "call"] as const;
type Step = (typeof STEPS)[number];
export type StepsDone = Readonly<Record<Step, boolean>>;

const PATHS = {
  speech: "/playground/speech",
  embeddings: "/playground/embeddings",
  factor: "/account",
  key: "/keys?create=1",
} as const;

/** What a newcomer does first, in order; the next one is lit. */
export function FirstSteps({
  done,
  origin,
  models,
}: {
  done: StepsDone;
  origin: string;
  models: readonly { name: string; operation: "speech" | "embeddings" }[];
}) {
  const t = useTranslations("overview.steps");
  const next = STEPS.find((step) => !done[step]);
  const count = STEPS.filter((step) => done[step]).length;
  return (
    <section aria-labelledby="first-steps" className="rounded-md border bg-panel">
      <div className="flex items-baseline justify-between gap-4 border-b px-5 py-4">
        <h2 id="first-steps" className="text-lg">
          {t("title")}
        </h2>
        <p className="tabular text-sm text-ink-muted">
          {t("progress", { done: count, total: STEPS.length })}
        </p>
      </div>
      <ol className="divide-y">
        {STEPS.map((step) => (
          <li key={step} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
            <Jack isDone={done[step]} isNext={step === next} />
            <div className="grid min-w-48 flex-1 gap-0.5">
              <p className={cn("font-medium", done[step] && "text-ink-muted")}>
                {t(step)}
                {done[step] ? <span className="sr-only"> ({t("done")})</span> : null}
              </p>
              <p className="text-sm text-ink-muted">{t(`${step}Text`)}</p>
            </div>
            {step === "call" ? (
              <CopyButton
                value={() => firstCall(origin, models)}
                label={t("callAction")}
                variant={step === next ? "primary" : "outline"}
              />
            ) : done[step] && step !== "speech" && step !== "embeddings" ? null : (
              <Button asChild size="sm" variant={step === next ? "primary" : "outline"}>
                <Link href={PATHS[step]}>{t(`${step}Action`)}</Link>
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Jack({ isDone, isNext }: { isDone: boolean; isNext: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={cn(
        "flex size-6 shrink-0 items-center justify-center rounded-full border-2",
        isDone ? "border-ink bg-ink text-on-ink" : isNext ? "border-ink" : "border-line",
      )}
    >
      {isDone ? (
        <CheckIcon className="size-3.5" strokeWidth={3} />
      ) : isNext ? (
        <span className="size-2.5 rounded-full bg-signal" />
      ) : null}
    </span>
  );
}
