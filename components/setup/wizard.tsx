"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { SWRConfig } from "swr";
import { useSetupState } from "@/components/setup/api";
import { SWR_CONFIG } from "@/lib/client/swr-config";
import type { SetupStep } from "@/lib/contracts/console/setup";
import { CallError } from "../forms/call-error";
import { Skeleton } from "../ui/skeleton";
import { AlreadySetUp } from "./already-set-up";
import { CreateOwnerWizard } from "./create-owner-wizard";
import { wizardSteps } from "./steps";
import { WizardFrame } from "./wizard-frame";

/** Loaded when the owner has been created, so that the first steps load faster. */
const OwnerWizard = dynamic(() => import("./owner-wizard").then((one) => one.OwnerWizard));

/** Where a signed-in owner resumes the wizard. */
export interface Resume {
  username: string;
  step: SetupStep;
}

/** The setup wizard. `resume` is null if the instance has no owner yet. */
export function Wizard({ resume }: { resume: Resume | null }) {
  return (
    <SWRConfig value={SWR_CONFIG}>
      <CurrentWizard resume={resume} />
    </SWRConfig>
  );
}

function CurrentWizard({ resume }: { resume: Resume | null }) {
  const [owner, setOwner] = useState(resume);
  const [isAlreadySetUp, setAlreadySetUp] = useState(false);
  const { data, error, mutate } = useSetupState(owner === null);
  // Remembered for the step list: once there is an owner, the server no longer reports it.
  const [neededToken, setNeededToken] = useState(false);
  const steps = wizardSteps(neededToken || (data?.status === false && data.setup_token_required));

  if (owner) return <OwnerWizard owner={owner} steps={steps} />;
  if (isAlreadySetUp || data?.status) return <AlreadySetUp />;
  if (!data) {
    return (
      <WizardFrame steps={steps} current="welcome" furthest="welcome" isSignedIn={false}>
        {error ? <CallError error={error} onRetry={() => void mutate()} /> : <WelcomeSkeleton />}
      </WizardFrame>
    );
  }
  return (
    <CreateOwnerWizard
      state={data}
      steps={steps}
      onAlreadySetUp={() => setAlreadySetUp(true)}
      onCreated={(username) => {
        setNeededToken(data.setup_token_required);
        setOwner({ username, step: "second-factor" });
      }}
    />
  );
}

/** Has the size of the loaded step, so that the layout does not shift. */
function WelcomeSkeleton() {
  return (
    <div className="grid gap-8" aria-busy="true">
      <div className="grid gap-2">
        <Skeleton className="h-9 w-72" />
        <Skeleton className="h-11 w-full max-w-prose" />
      </div>
      <Skeleton className="h-47 rounded-md" />
      <Skeleton className="h-11 w-28 rounded-md" />
    </div>
  );
}
