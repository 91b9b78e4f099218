"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { loadPart } from "@/lib/client/load-part";
import { SWR_CONFIG } from "@/lib/client/swr-config";
import { useApi } from "@/lib/client/use-api";
import type { SetupStep } from "@/lib/contracts/console/setup";
import { CallError } from "../forms/call-error";
import { Wordmark } from "../shell/mark";
import { Button } from "../ui/button";
import { Skeleton } from "../ui/skeleton";
import { CreateOwnerWizard } from "./create-owner-wizard";
import { wizardSteps } from "./steps";
import { WizardFrame } from "./wizard-frame";

/** Loaded when the owner has been created, so that the first steps load faster. */
const OwnerWizard = dynamic(() => loadPart(() => import("./owner-wizard").then((one) => one.OwnerWizard)));

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
  const { data, error, mutate } = useApi(api.readSetupState, owner === null ? {} : null, {
    revalidateOnFocus: false,
  });
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

/** Shown when the instance was set up from another browser meanwhile. */
function AlreadySetUp() {
  const t = useTranslations("setup.alreadySetUp");
  return (
    <main className="mx-auto grid min-h-dvh max-w-form content-center gap-6 p-6">
      <Wordmark />
      <div role="alert" className="grid gap-2">
        <h1 className="text-2xl">{t("title")}</h1>
        <p className="text-ink-muted">{t("text")}</p>
      </div>
      {/* Not a client navigation: the server must evaluate the setup state again. */}
      <Button asChild size="lg" className="w-fit">
        <a href="/login?reason=taken">{t("signIn")}</a>
      </Button>
    </main>
  );
}
