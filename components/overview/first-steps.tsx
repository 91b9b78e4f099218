"use client";

import { CheckIcon, ChevronDownIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";
import { firstCall } from "./first-call";

/** On a phone the action stands under its step's words, not under the jack before them. */
const UNDER_THE_WORDS = "max-sm:ml-10";

const STEPS = ["speech", "embeddings", "factor", "key", "call", "upstream", "prices", "backup"] as const;
type Step = (typeof STEPS)[number];
/** A step that is missing is not this visitor's to do. */
export type StepsDone = Readonly<Partial<Record<Step, boolean>>>;

const PATHS = {
  speech: "/playground/speech",
  embeddings: "/playground/embeddings",
  factor: "/account",
  key: "/keys?create=1",
  upstream: "/channels/new",
  prices: "/models",
  backup: "/settings?section=transfer",
} as const;

/** Steps one may like to take again. */
const REPEATABLE: ReadonlySet<Step> = new Set(["speech", "embeddings"]);

/** What is not set up yet, in order, the next one lit; folded where calls come already, and by whoever presses it. */
export function FirstSteps({
  done,
  origin,
  models,
  isOpen,
}: {
  done: StepsDone;
  origin: string;
  models: readonly { name: string; operation: "speech" | "embeddings" }[];
  isOpen: boolean;
}) {
  const t = useTranslations("overview.steps");
  const steps = STEPS.filter((step) => done[step] !== undefined);
  const next = steps.find((step) => !done[step]);
  const count = steps.filter((step) => done[step]).length;
  return (
    <details open={isOpen} className="group rounded-md border bg-panel">
      <summary className="flex list-none items-center gap-x-4 gap-y-1 px-5 py-4 max-sm:flex-wrap [&::-webkit-details-marker]:hidden">
        <h2 className="text-lg">{t("title")}</h2>
        <span className="min-w-0 flex-1 truncate text-sm text-ink-muted group-open:invisible">
          {next ? t("next", { step: t(next) }) : null}
        </span>
        <span className="tabular text-sm text-ink-muted">
          {t("progress", { done: count, total: steps.length })}
        </span>
        <ChevronDownIcon
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-180"
        />
      </summary>
      <ol className="divide-y border-t">
        {steps.map((step) => (
          <li key={step} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-3">
            <Jack isDone={done[step] === true} isNext={step === next} />
            <div className="grid min-w-48 flex-1 gap-0.5 max-sm:basis-[calc(100%-2.5rem)]">
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
                className={UNDER_THE_WORDS}
              />
            ) : done[step] && !REPEATABLE.has(step) ? null : (
              <Button
                asChild
                size="sm"
                variant={step === next ? "primary" : "outline"}
                className={UNDER_THE_WORDS}
              >
                <Link prefetch={false} href={PATHS[step]}>
                  {t(`${step}Action`)}
                </Link>
              </Button>
            )}
          </li>
        ))}
      </ol>
    </details>
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
