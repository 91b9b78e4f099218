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

/** Whether the URL's `step` parameter names a step that was completed by creating the owner. */
export const isBeforeOwner = (requestedStep: string | null, steps: readonly WizardStep[]): boolean =>
  steps.some((step) => step === requestedStep && !isOwnerStep(step));

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

/** The URL's `step` parameter and its setter. Each step is a history entry, so Back returns to the step `from`. */
export function useStepParam(): [string | null, (step: WizardStep, from: WizardStep) => void] {
  const query = useSearchParams();
  const goTo = (step: WizardStep, from: WizardStep) => {
    // The URL may have no step, or one that can no longer be shown.
    if (query.get("step") !== from) window.history.replaceState(null, "", `/setup?step=${from}`);
    window.history.pushState(null, "", `/setup?step=${step}`);
    window.scrollTo({ top: 0 });
  };
  return [query.get("step"), goTo];
}
