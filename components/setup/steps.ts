import type { SetupStep } from "@/lib/contracts/console/setup";

export type WizardStep = "welcome" | "token" | SetupStep;

/** The steps of this visit in their order; the token is asked for only where it is needed. */
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

/** Where one who has claimed the instance may still go; what lies before is saved for good. */
export const OWNER_STEPS: readonly WizardStep[] = ["second-factor", "key", "sound"];

/** The step to show for an address that asks for `wanted`, when `furthest` is as far as the visitor has come. */
export function reachableStep(
  wanted: string | null,
  furthest: WizardStep,
  steps: readonly WizardStep[],
): WizardStep {
  const isClaimed = OWNER_STEPS.includes(furthest);
  const open = steps
    .slice(0, steps.indexOf(furthest) + 1)
    .filter((step) => !isClaimed || OWNER_STEPS.includes(step));
  return open.find((step) => step === wanted) ?? (wanted === null && !isClaimed ? "welcome" : furthest);
}
