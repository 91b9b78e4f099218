"use client";

import { useRef, useState } from "react";
import { saveProgress } from "@/components/setup/api";
import { useApiKeys } from "@/lib/client/api-keys";
import { KeyStep } from "./key-step";
import { SoundStep } from "./sound-step";
import { OWNER_STEPS, reachableStep, type WizardStep } from "./steps";
import { TwoFactorStep } from "./two-factor-step";
import { useStepParam } from "./use-step-in-address";
import { WizardFrame } from "./wizard-frame";

/** What is kept of a step is worth no longer wait; its end is waited for as long as it takes. */
const SAVE_TIMEOUT_MS = 2_000;

type OwnerStep = "second-factor" | "key" | "sound";

/** The steps of the signed-in owner; how far they came is kept on the server. */
export function OwnerWizard({
  owner,
  steps,
}: {
  owner: { username: string; step: WizardStep };
  steps: readonly WizardStep[];
}) {
  const [furthest, setFurthest] = useState<OwnerStep>(isOwnerStep(owner.step) ? owner.step : "second-factor");
  const [secret, setSecret] = useState<string | null>(null);
  const [wanted, go] = useStepParam();
  const { keys, error: keysError, reload } = useApiKeys("");
  const current = reachableStep(wanted, furthest, steps);

  const isMoving = useRef(false);

  const moveTo = async (step: OwnerStep) => {
    if (isMoving.current) return;
    if (OWNER_STEPS.indexOf(step) > OWNER_STEPS.indexOf(furthest)) {
      // Kept before it is shown: a refresh finds the screen again. A server that is away costs one screen, no more.
      isMoving.current = true;
      await saveProgress({ step }, { signal: AbortSignal.timeout(SAVE_TIMEOUT_MS) }).catch(() => undefined);
      isMoving.current = false;
      setFurthest(step);
    }
    go(step);
  };

  const body = () => {
    switch (current) {
      case "key":
        return (
          <KeyStep
            secret={secret}
            // A list that cannot be read does not keep anybody from making a key.
            wasMadeBefore={keys ? keys.length > 0 : keysError ? false : null}
            onKey={(made) => {
              setSecret(made);
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
              await saveProgress({ finished: true });
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

function isOwnerStep(step: WizardStep): step is OwnerStep {
  return step === "second-factor" || step === "key" || step === "sound";
}
