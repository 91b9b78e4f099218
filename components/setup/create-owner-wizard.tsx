"use client";

import { useEffect, useState } from "react";
import { AdministratorStep } from "./administrator-step";
import { forgetDraft, keepDraft, readDraft, type SetupDraft, takeTokenFromAddress } from "./draft";
import { reachableStep, type WizardStep } from "./steps";
import { TokenStep } from "./token-step";
import { UsageStep } from "./usage-step";
import { useStepInAddress } from "./use-step-in-address";
import { FoundStep, type Unclaimed } from "./welcome-step";
import { WizardFrame } from "./wizard-frame";

/** The steps before anybody owns the instance; their answers are sent together by the administrator's form. */
export function ClaimWizard({
  state,
  steps,
  onTaken,
  onClaimed,
}: {
  state: Unclaimed;
  steps: readonly WizardStep[];
  onTaken(): void;
  onClaimed(username: string): void;
}) {
  // Only rendered once the browser has the server's answer: the tab's storage is there.
  const [draft, setDraft] = useState(readDraft);
  const [isTokenWrong, setTokenWrong] = useState(false);
  const [wanted, go] = useStepInAddress();
  const furthest = steps.includes(draft.furthest) ? draft.furthest : "found";
  const current = reachableStep(wanted, furthest, steps);

  const change = (part: Partial<SetupDraft>) => {
    setDraft((before) => {
      const after = { ...before, ...part };
      keepDraft(after);
      return after;
    });
  };

  useEffect(() => {
    const token = takeTokenFromAddress();
    if (token === null) return;
    setDraft((before) => {
      const after = { ...before, token, isTokenFromLink: true };
      keepDraft(after);
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
    if (by === 1 && at > steps.indexOf(furthest) && isBeforeClaim(step)) change({ furthest: step });
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
            onTaken={() => {
              forgetDraft();
              onTaken();
            }}
            onTokenRefused={() => {
              setTokenWrong(true);
              go("token");
            }}
            onClaimed={(username) => {
              forgetDraft();
              onClaimed(username);
              go("second-factor");
            }}
            onBack={() => move("administrator", -1)}
          />
        );
      default:
        return <FoundStep state={state} onNext={() => move("found", 1)} />;
    }
  };

  return (
    <WizardFrame steps={steps} current={current} furthest={furthest} isSignedIn={false}>
      <div key={current}>{body()}</div>
    </WizardFrame>
  );
}

function isBeforeClaim(step: WizardStep): step is SetupDraft["furthest"] {
  return step === "found" || step === "token" || step === "usage" || step === "administrator";
}
