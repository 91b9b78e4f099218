"use client";

import dynamic from "next/dynamic";
import { useCallback, useEffect, useState } from "react";
import { clearDraft, readDraft, type SetupDraft, saveDraft, takeTokenFromUrl } from "./draft";
import { reachableStep, useStepParam, type WizardStep } from "./steps";
import { TokenStep } from "./token-step";
import { UsageStep } from "./usage-step";
import { type NewInstance, WelcomeStep } from "./welcome-step";
import { WizardFrame } from "./wizard-frame";

const loadAdministratorStep = () => import("./administrator-step").then((one) => one.AdministratorStep);
/** The only step with a form library; it is fetched when the visitor leaves the first step. */
const AdministratorStep = dynamic(loadAdministratorStep);

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
    const step = steps[index];
    if (!step) return;
    if (by === 1 && index > steps.indexOf(furthest) && isDraftStep(step)) change({ furthest: step });
    goTo(step);
  };
  const next = () => move(1);
  const back = () => move(-1);
  return { draft, change, isTokenWrong, setTokenWrong, current, furthest, goTo, move, next, back };
}

/** The step that is shown. */
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
          draft={draft}
          onDraft={change}
          onAlreadySetUp={() => {
            clearDraft();
            onAlreadySetUp();
          }}
          onTokenRefused={() => {
            setTokenWrong(true);
            goTo("token");
          }}
          onCreated={(username) => {
            clearDraft();
            onCreated(username);
            goTo("second-factor");
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

function isDraftStep(step: WizardStep): step is SetupDraft["furthest"] {
  return step === "welcome" || step === "token" || step === "usage" || step === "administrator";
}
