"use client";

import { useRef, useState } from "react";
import { api, callApi } from "@/lib/client/api";
import { useApiPages } from "@/lib/client/use-api-pages";
import { KeyStep } from "./key-step";
import { SoundStep } from "./sound-step";
import { OWNER_STEPS, reachableStep, useStepParam, type WizardStep } from "./steps";
import { TwoFactorStep } from "./two-factor-step";
import { WizardFrame } from "./wizard-frame";

/** Saving a step may not block the wizard longer than this; saving the end has no timeout. */
const SAVE_TIMEOUT_MS = 2_000;

type OwnerStep = "second-factor" | "key" | "sound";

/** The steps of the signed-in owner. Progress is saved on the server. */
export function OwnerWizard({
  owner,
  steps,
}: {
  owner: { username: string; step: WizardStep };
  steps: readonly WizardStep[];
}) {
  const { current, furthest, moveTo } = useOwnerSteps(owner.step, steps);
  const [secret, setSecret] = useState<string | null>(null);
  const { items: keys, error: keysError, reload } = useApiPages(api.listKeys);

  const body = () => {
    switch (current) {
      case "key":
        return (
          <KeyStep
            secret={secret}
            // If the list fails to load, the owner can still create a key.
            hasKey={keys ? keys.length > 0 : keysError ? false : null}
            onKey={(created) => {
              setSecret(created);
              void reload();
            }}
            onNext={() => moveTo("sound")}
            onBack={() => moveTo("second-factor")}
          />
        );
      case "sound":
        return (
          <SoundStep
            secret={secret}
            onBack={() => moveTo("key")}
            onFinish={async () => {
              await callApi(api.updateSetupProgress, { body: { finished: true } });
              window.location.assign("/playground/speech");
            }}
          />
        );
      default:
        return <TwoFactorStep username={owner.username} onNext={() => moveTo("key")} />;
    }
  };

  return (
    <WizardFrame steps={steps} current={current} furthest={furthest} isSignedIn>
      <div key={current}>{body()}</div>
    </WizardFrame>
  );
}

/** The step that is shown, the furthest one so far, and a function that shows and saves another one. */
function useOwnerSteps(saved: WizardStep, steps: readonly WizardStep[]) {
  const [furthest, setFurthest] = useState<OwnerStep>(isOwnerStep(saved) ? saved : "second-factor");
  const [requestedStep, goTo] = useStepParam();
  const isMoving = useRef(false);

  const moveTo = async (step: OwnerStep) => {
    if (isMoving.current) return;
    if (OWNER_STEPS.indexOf(step) > OWNER_STEPS.indexOf(furthest)) {
      // Saved before the step is shown, so that a reload finds it. If saving fails, a reload goes back one step.
      isMoving.current = true;
      const signal = AbortSignal.timeout(SAVE_TIMEOUT_MS);
      await callApi(api.updateSetupProgress, { body: { step }, signal }).catch(() => undefined);
      isMoving.current = false;
      setFurthest(step);
    }
    goTo(step);
  };
  return { current: reachableStep(requestedStep, furthest, steps), furthest, moveTo };
}

function isOwnerStep(step: WizardStep): step is OwnerStep {
  return step === "second-factor" || step === "key" || step === "sound";
}
