import { useSearchParams } from "next/navigation";
import type { SetupStep } from "@/lib/contracts/console/setup";

export type WizardStep = "welcome" | "token" | SetupStep;

/** The wizard's steps in order. The setup token is asked for only if the server requires it. */
export function wizardSteps(needsToken: boolean): WizardStep[] {
  return [
    "welcome",
    ...(needsToken ? ["token" as const] : []),
    "usage",
    "administrator",
    "second-factor",
    "key",
    "sound",
  ];
}

/** The steps after the owner was created. Earlier steps can no longer be changed. */
export const OWNER_STEPS = ["second-factor", "key", "sound"] as const;
export type OwnerStep = (typeof OWNER_STEPS)[number];
const isOwnerStep = (step: WizardStep) => OWNER_STEPS.some((one) => one === step);

/** The step to show for the URL's `step` parameter, limited to the steps that are open at `furthest`. */
export function reachableStep(
  requestedStep: string | null,
  furthest: WizardStep,
  steps: readonly WizardStep[],
): WizardStep {
  const hasOwner = isOwnerStep(furthest);
  const open = steps.slice(0, steps.indexOf(furthest) + 1).filter((step) => !hasOwner || isOwnerStep(step));
  return (
    open.find((step) => step === requestedStep) ??
    (requestedStep === null && !hasOwner ? "welcome" : furthest)
  );
}

/** The URL's `step` parameter and its setter. Each step is a history entry, so Back returns to the previous step. */
export function useStepParam(): [string | null, (step: string) => void] {
  const query = useSearchParams();
  const goTo = (step: string) => {
    window.history.pushState(null, "", `/setup?step=${step}`);
    window.scrollTo({ top: 0 });
  };
  return [query.get("step"), goTo];
}
