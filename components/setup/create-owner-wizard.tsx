"use client";

import { useEffect, useState } from "react";
import { AdministratorStep } from "./administrator-step";
import { clearDraft, saveDraft, readDraft, type SetupDraft, takeTokenFromUrl } from "./draft";
import { reachableStep, type WizardStep } from "./steps";
import { TokenStep } from "./token-step";
import { UsageStep } from "./usage-step";
import { useStepParam } from "./use-step-in-address";
import { WelcomeStep, type NewInstance } from "./welcome-step";
import { WizardFrame } from "./wizard-frame";

/** The steps before anybody owns the instance; their answers are sent together by the administrator's form. */
export function CreateOwnerWizard({
  state,
  steps,
  onAlreadySetUp,
  onCreated,
}: {
  state: NewInstance;
  steps: readonly WizardStep[];
  onAlreadySetUp(): void;
  onCreated(username: string): void;
}) {
  // Only rendered once the browser has the server's answer: the tab's storage is there.
  const [draft, setDraft] = useState(readDraft);
  const [isTokenWrong, setTokenWrong] = useState(false);
  const [wanted, go] = useStepParam();
  const furthest = steps.includes(draft.furthest) ? draft.furthest : "welcome";
  const current = reachableStep(wanted, furthest, steps);

  const change = (part: Partial<SetupDraft>) => {
    setDraft((before) => {
      const after = { ...before, ...part };
      saveDraft(after);
      return after;
    });
  };

  useEffect(() => {
    const token = takeTokenFromUrl();
    if (token === null) return;
    setDraft((before) => {
      const after = { ...before, token, isTokenFromLink: true };
      saveDraft(after);
      return after;
    });
  }, []);

  /** Goes to the step after (or before) `from`; a token that came with the link is not asked for. */
  const move = (from: WizardStep, by: 1 | -1, filledIn: SetupDraft = draft) => {
    const isSkipped = (step: WizardStep | undefined) =>
      step === "token" && filledIn.isTokenFromLink && !isTokenWrong;
    let at = steps.indexOf(from) + by;
    if (isSkipped(steps[at])) at += by;
    const step = steps[at];
    if (!step) return;
    if (by === 1 && at > steps.indexOf(furthest) && isDraftStep(step)) change({ furthest: step });
    go(step);
  };

  const body = () => {
    switch (current) {
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
              move("token", 1, { ...draft, ...part });
            }}
            onBack={() => move("token", -1)}
          />
        );
      case "usage":
        return (
          <UsageStep
            usage={draft.usage}
            onUsage={(usage) => change({ usage })}
            onNext={() => move("usage", 1)}
            onBack={() => move("usage", -1)}
          />
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
              go("token");
            }}
            onCreated={(username) => {
              clearDraft();
              onCreated(username);
              go("second-factor");
            }}
            onBack={() => move("administrator", -1)}
          />
        );
      default:
        return <WelcomeStep state={state} onNext={() => move("welcome", 1)} />;
    }
  };

  return (
    <WizardFrame steps={steps} current={current} furthest={furthest} isSignedIn={false}>
      <div key={current}>{body()}</div>
    </WizardFrame>
  );
}

function isDraftStep(step: WizardStep): step is SetupDraft["furthest"] {
  return step === "welcome" || step === "token" || step === "usage" || step === "administrator";
}
