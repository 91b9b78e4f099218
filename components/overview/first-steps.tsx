"use client";

import { CheckIcon, ChevronDownIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { CURL_HEADERS, shellJson } from "@/lib/client/code-samples";
import { modelPath } from "@/lib/client/speech-call";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { CopyButton } from "../ui/copy-button";
import { keepingFocus } from "../ui/keep-focus";

/** On a phone the button is aligned with the text of its step. */
const BUTTON_INDENT = "max-sm:ml-10";

const STEPS = [
  "setup",
  "speech",
  "embeddings",
  "twoFactor",
  "key",
  "call",
  "upstream",
  "prices",
  "backup",
] as const;
type StepName = (typeof STEPS)[number];

const PATHS = {
  setup: "/setup",
  speech: "/playground/speech",
  embeddings: "/playground/embeddings",
  twoFactor: "/account",
  key: "/keys?create=1",
  upstream: "/channels/new",
  prices: "/models",
  backup: "/settings?section=transfer",
} as const;

/** Steps whose button stays after they are done. */
const REPEATABLE: ReadonlySet<StepName> = new Set(["speech", "embeddings"]);

export interface FirstStepsProps {
  /** Steps that do not apply to the visitor are missing. */
  done: Readonly<Partial<Record<StepName, boolean>>>;
  origin: string;
  /** The model of the first call; undefined without models. */
  model: { name: string; operation: "speech" | "embeddings" } | undefined;
  isOpen: boolean;
  onDismiss(): void;
}

/** Checklist of the first steps, with the next one highlighted. */
export function FirstSteps({ done, origin, model, isOpen, onDismiss }: FirstStepsProps) {
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
      <ol className="divide-y border-y">
        {steps.map((step) => (
          <Step
            key={step}
            step={step}
            isDone={done[step] === true}
            isNext={step === next}
            origin={origin}
            model={model}
          />
        ))}
      </ol>
      <p className="flex justify-end px-5 py-2">
        <Button variant="ghost" size="sm" onClick={keepingFocus(onDismiss)}>
          {t("dismiss")}
        </Button>
      </p>
    </details>
  );
}

function Step({
  step,
  isDone,
  isNext,
  origin,
  model,
}: Pick<FirstStepsProps, "origin" | "model"> & { step: StepName; isDone: boolean; isNext: boolean }) {
  const t = useTranslations("overview.steps");
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-3">
      <StepIcon isDone={isDone} isNext={isNext} />
      <div className="grid min-w-48 flex-1 gap-0.5 max-sm:basis-[calc(100%-2.5rem)]">
        <p className={cn("font-medium", isDone && "text-ink-muted")}>
          {t(step)}
          {isDone ? <span className="sr-only"> ({t("done")})</span> : null}
        </p>
        <p className="text-sm text-ink-muted">{t(`${step}Text`)}</p>
      </div>
      {step === "call" ? (
        <CopyButton
          value={() => firstCall(origin, model)}
          label={t("callAction")}
          variant={isNext ? "primary" : "outline"}
          className={BUTTON_INDENT}
        />
      ) : isDone && !REPEATABLE.has(step) ? null : (
        <Button asChild size="sm" variant={isNext ? "primary" : "outline"} className={BUTTON_INDENT}>
          {step === "setup" ? (
            // A full page load: the setup wizard is outside the console layout.
            <a href={PATHS[step]}>{t("setupAction")}</a>
          ) : (
            <Link prefetch={false} href={PATHS[step]}>
              {t(`${step}Action`)}
            </Link>
          )}
        </Button>
      )}
    </li>
  );
}

function StepIcon({ isDone, isNext }: { isDone: boolean; isNext: boolean }) {
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

/**
 * A first call as a shell command: speech into a file or, without a speech model, vectors. The key is read from the
 * environment.
 */
function firstCall(origin: string, model: FirstStepsProps["model"]): string {
  const name = model?.name ?? "";
  if (model?.operation === "speech") {
    return [
      `curl ${origin}/v1/audio/speech \\`,
      CURL_HEADERS,
      `  -d ${shellJson({ model: name, voice: "alloy", input: "Hello from Patchbay." })} \\`,
      "  --fail-with-body --output hello.mp3",
    ].join("\n");
  }
  return [
    `curl ${origin}/v1/engines/${modelPath(name)}/embeddings \\`,
    CURL_HEADERS,
    `  -d ${shellJson({ model: name, input: "Hello from Patchbay." })}`,
  ].join("\n");
}
