"use client";

import dynamic from "next/dynamic";
import { useCallback, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { loadPart } from "@/lib/client/load-part";
import type { SetupState } from "@/lib/contracts/console/setup";
import { Form } from "../forms/form";
import { TextField, VERBATIM } from "../forms/text-field";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { RadioCards } from "../ui/radio-cards";
import {
  clearDraft,
  DRAFT_STEPS,
  readDraft,
  type SetupDraft,
  saveDraft,
  takeTokenFromUrl,
  USAGES,
} from "./draft";
import { reachableStep, useStepParam, type WizardStep } from "./steps";
import { StepActions, StepBody, WizardFrame } from "./wizard-frame";

const loadAdministratorStep = () => import("./administrator-step").then((one) => one.AdministratorStep);
/** The only step with a form library; it is fetched when the visitor leaves the first step. */
const AdministratorStep = dynamic(() => loadPart(loadAdministratorStep));

interface CreateOwnerProps {
  state: NewInstance;
  steps: readonly WizardStep[];
  onAlreadySetUp(): void;
  onCreated(username: string): void;
}

/** The steps before the instance has an owner. The administrator step sends all answers in one request. */
export function CreateOwnerWizard(props: CreateOwnerProps) {
  const wizard = useWizard(props.steps);
  const { current, furthest } = wizard;
  return (
    <WizardFrame steps={props.steps} current={current} furthest={furthest} isSignedIn={false}>
      <div key={current}>
        <Step {...props} wizard={wizard} />
      </div>
    </WizardFrame>
  );
}

/** The answers given so far, the step that is shown, and how the steps follow each other. */
function useWizard(steps: readonly WizardStep[]) {
  const [draft, change] = useSetupDraft();
  const [isTokenWrong, setTokenWrong] = useState(false);
  const [requestedStep, goTo] = useStepParam();
  const furthest = steps.includes(draft.furthest) ? draft.furthest : "welcome";
  const current = reachableStep(requestedStep, furthest, steps);

  /** Goes to the next or the previous step. Skips the token step if the token came with the link. */
  const move = (by: 1 | -1, answers: SetupDraft = draft) => {
    const isSkipped = (step: WizardStep | undefined) =>
      step === "token" && answers.isTokenFromLink && !isTokenWrong;
    let index = steps.indexOf(current) + by;
    if (isSkipped(steps[index])) index += by;
    const step = DRAFT_STEPS.find((one) => one === steps[index]);
    if (!step) return;
    if (by === 1 && index > steps.indexOf(furthest)) change({ furthest: step });
    goTo(step, current);
  };
  const next = () => move(1);
  const back = () => move(-1);
  return { draft, change, isTokenWrong, setTokenWrong, current, furthest, goTo, move, next, back };
}

function Step({
  state,
  wizard,
  onAlreadySetUp,
  onCreated,
}: Omit<CreateOwnerProps, "steps"> & { wizard: ReturnType<typeof useWizard> }) {
  const { draft, change, isTokenWrong, setTokenWrong, goTo, move, next, back } = wizard;
  switch (wizard.current) {
    case "token":
      return (
        <TokenStep
          token={draft.token}
          isFromLink={draft.isTokenFromLink}
          isWrong={isTokenWrong}
          onNext={(token) => {
            setTokenWrong(false);
            const part = { token, isTokenFromLink: draft.isTokenFromLink && token === draft.token };
            change(part);
            move(1, { ...draft, ...part });
          }}
          onBack={back}
        />
      );
    case "usage":
      return (
        <UsageStep usage={draft.usage} onUsage={(usage) => change({ usage })} onNext={next} onBack={back} />
      );
    case "administrator":
      return (
        <AdministratorStep
          // Where no token is required, none is sent: one from the link of an earlier start is no longer valid.
          draft={state.setup_token_required ? draft : { ...draft, token: "" }}
          onDraft={change}
          onAlreadySetUp={() => {
            clearDraft();
            onAlreadySetUp();
          }}
          onTokenRefused={() => {
            setTokenWrong(true);
            goTo("token", "administrator");
          }}
          onCreated={(username) => {
            clearDraft();
            onCreated(username);
            goTo("second-factor", "administrator");
          }}
          onBack={back}
        />
      );
    default:
      return (
        <WelcomeStep
          state={state}
          onNext={() => {
            void loadAdministratorStep();
            next();
          }}
        />
      );
  }
}

/** The draft in sessionStorage, with the token of a setup link, and a function that changes it. */
function useSetupDraft(): [SetupDraft, (part: Partial<SetupDraft>) => void] {
  // Rendered only in the browser, after the setup state has loaded: sessionStorage is available.
  const [draft, setDraft] = useState(readDraft);
  const change = useCallback((part: Partial<SetupDraft>) => {
    setDraft((before) => {
      const after = { ...before, ...part };
      saveDraft(after);
      return after;
    });
  }, []);
  useEffect(() => {
    const token = takeTokenFromUrl();
    if (token !== null) change({ token, isTokenFromLink: true });
  }, [change]);
  return [draft, change];
}

/** Compares meanings; the other built-in embedding model compares words. */
const ENGLISH_MODEL = "patchbay-embed-en";

type NewInstance = Extract<SetupState, { status: false }>;

function WelcomeStep({ state, onNext }: { state: NewInstance; onNext(): void }) {
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
          <div key={row.name} className="grid gap-1 px-5 py-4 sm:grid-cols-[9rem_1fr]">
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

function UsageStep({
  usage,
  onUsage,
  onNext,
  onBack,
}: {
  usage: SetupDraft["usage"];
  onUsage(usage: SetupDraft["usage"]): void;
  onNext(): void;
  onBack(): void;
}) {
  const t = useTranslations("setup.usage");
  const common = useTranslations("common");
  return (
    <StepBody title={t("title")} text={t("text")}>
      <RadioCards
        label={t("title")}
        value={usage}
        onValueChange={onUsage}
        cards={USAGES.map((value) => ({ value, title: t(value), description: t(`${value}Text`) }))}
      />
      <StepActions onBack={onBack}>
        <Button size="lg" onClick={onNext}>
          {common("next")}
        </Button>
      </StepActions>
    </StepBody>
  );
}

function TokenStep({
  token,
  isFromLink,
  isWrong,
  onNext,
  onBack,
}: {
  token: string;
  isFromLink: boolean;
  isWrong: boolean;
  onNext(token: string): void;
  onBack(): void;
}) {
  const t = useTranslations("setup.token");
  const common = useTranslations("common");
  const [text, setText] = useState(token);
  const [isMissing, setMissing] = useState(false);
  const isUntouched = text === token;
  const error = isMissing ? common("fieldError.required") : isWrong && isUntouched ? t("wrong") : undefined;
  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form
        className="grid gap-8"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const value = text.trim();
          setMissing(value === "");
          if (value !== "") onNext(value);
        }}
      >
        {isFromLink && isUntouched && !isWrong ? <Notice tone="good">{t("fromLink")}</Notice> : null}
        <TextField
          label={t("label")}
          hint={t("where")}
          error={error}
          value={text}
          onChange={(event) => setText(event.target.value)}
          {...VERBATIM}
          autoCapitalize="none"
          autoCorrect="off"
        />
        <StepActions onBack={onBack}>
          <Button type="submit" size="lg">
            {common("next")}
          </Button>
        </StepActions>
      </Form>
    </StepBody>
  );
}
