"use client";

import { startTransition, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { awaitSecret, useUnsaved } from "@/lib/client/unsaved";
import { useApi } from "@/lib/client/use-api";
import { useApiPages } from "@/lib/client/use-api-pages";
import { CallError } from "../forms/call-error";
import { Form } from "../forms/form";
import { useSchemaResolver } from "../forms/schema-resolver";
import { SecretBox } from "../forms/secret-box";
import { FormTextField } from "../forms/text-field";
import { useSaveForm } from "../forms/use-save-form";
import { EnrolTwoFactor } from "../two-factor/enrol";
import { SaveBackupCodes } from "../two-factor/save-backup-codes";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";
import { SoundStep } from "./sound-step";
import {
  isBeforeOwner,
  OWNER_STEPS,
  type OwnerStep,
  reachableStep,
  useStepParam,
  type WizardStep,
} from "./steps";
import { StepActions, StepBody, WizardFrame } from "./wizard-frame";

/** Saving a step may not block the wizard longer than this; saving the end has no timeout. */
const SAVE_TIMEOUT_MS = 2_000;

/** The steps of the signed-in owner. Progress is saved on the server. */
export function OwnerWizard({
  owner,
  steps,
}: {
  owner: { username: string; step: WizardStep };
  steps: readonly WizardStep[];
}) {
  const { current, furthest, isTooEarly, moveTo } = useOwnerSteps(owner.step, steps);
  const t = useTranslations("setup");
  const [secret, setSecret] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const [codes, setCodes] = useState<string[] | null>(null);
  const { items: keys, error: keysError, reload } = useApiPages(api.listKeys);

  const body = () => {
    // On any step: the check of the first code may end after the user left its step.
    if (codes)
      return (
        <CodesStep
          codes={codes}
          username={owner.username}
          onSaved={async () => {
            if (current === "second-factor") await moveTo("key");
            // Together with the next step, which the router shows in a transition.
            startTransition(() => setCodes(null));
          }}
        />
      );
    switch (current) {
      case "key":
        return (
          <KeyStep
            secret={secret}
            // If the list fails to load, the owner can still create a key.
            hasKey={keys ? keys.length > 0 : keysError ? false : null}
            onKey={(created) => {
              setSecret(created);
              setCopied(false);
              void reload();
            }}
            isCopied={isCopied}
            onCopied={() => setCopied(true)}
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
        return <TwoFactorStep onCodes={setCodes} onNext={() => moveTo("key")} />;
    }
  };

  return (
    <WizardFrame steps={steps} current={current} furthest={furthest} isSignedIn>
      {isTooEarly ? (
        <Notice tone="info" isLive className="mb-8">
          {t("ownerCreated")}
        </Notice>
      ) : null}
      <div key={current}>{body()}</div>
    </WizardFrame>
  );
}

/**
 * The step that is shown, the furthest one so far, whether the URL asks for a step before the owner was created (the
 * browser's Back), and a function that shows and saves another step.
 */
function useOwnerSteps(saved: WizardStep, steps: readonly WizardStep[]) {
  const [furthest, setFurthest] = useState(OWNER_STEPS.find((one) => one === saved) ?? "second-factor");
  const [requestedStep, goTo] = useStepParam();
  const current = reachableStep(requestedStep, furthest, steps);
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
    goTo(step, current);
  };
  return { current, furthest, isTooEarly: isBeforeOwner(requestedStep, steps), moveTo };
}

const loadSchema = () => import("@/lib/contracts/console/api-keys").then((one) => one.CreateKey);

interface KeyStepProps {
  /** The new key's secret, as long as the page holds it in memory. */
  secret: string | null;
  /** Whether the owner already has a key; null while loading. */
  hasKey: boolean | null;
  onKey(secret: string): void;
  /** The secret has been copied, so leaving does not ask about it. */
  isCopied: boolean;
  onCopied(): void;
  onNext(): void;
  onBack(): void;
}

/** Creates the first API key and shows its secret once. */
function KeyStep({ hasKey, onKey, ...created }: KeyStepProps) {
  const { secret, onNext, onBack } = created;
  const t = useTranslations("setup.key");
  if (secret !== null || hasKey) return <CreatedKey {...created} />;
  if (hasKey === null) {
    return (
      <StepBody title={t("title")} text={t("text")}>
        <Skeleton className="h-40 rounded-md" />
      </StepBody>
    );
  }
  return <CreateKeyForm onKey={onKey} onNext={onNext} onBack={onBack} />;
}

/** The created key; without its secret (after a reload), a notice that it cannot be shown again. */
function CreatedKey({ secret, isCopied, onCopied, onNext, onBack }: Omit<KeyStepProps, "hasKey" | "onKey">) {
  const t = useTranslations("setup.key");
  const reveal = useTranslations("apiKeys.reveal");
  const common = useTranslations("common");
  const labels = { copy: reveal("copy"), once: reveal("once"), onceText: reveal("onceText") };
  useUnsaved(secret !== null && !isCopied, t("createdTitle"));
  return (
    <StepBody
      title={secret === null ? t("title") : t("createdTitle")}
      text={secret === null ? t("text") : t("createdText")}
    >
      {secret === null ? (
        <Notice tone="info">{t("lost")}</Notice>
      ) : (
        <SecretBox secret={secret} name="api-key" labels={labels} onCopied={onCopied} />
      )}
      <StepActions onBack={onBack}>
        <Button size="lg" onClick={onNext}>
          {common("next")}
        </Button>
      </StepActions>
    </StepBody>
  );
}

function CreateKeyForm({ onKey, onNext, onBack }: Pick<KeyStepProps, "onKey" | "onNext" | "onBack">) {
  const t = useTranslations("setup.key");
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { name: t("defaultName") },
  });
  const { error, onSubmit } = useSaveForm(form, {
    fields: ["name"],
    save: async ({ name }) => {
      const created = await awaitSecret(t("createdTitle"), callApi(api.createKey, { body: { name } }));
      onKey(created.key);
    },
  });

  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form onSubmit={onSubmit} noValidate className="grid gap-8">
        <CallError error={error} />
        <FormTextField
          form={form}
          name="name"
          label={t("name")}
          className="max-w-form"
          isRequired
          autoComplete="off"
        />
        <StepActions onBack={onBack}>
          <Button type="submit" size="lg" isBusy={form.formState.isSubmitting}>
            {t("create")}
          </Button>
          <Button variant="ghost" size="lg" onClick={onNext}>
            {t("skip")}
          </Button>
        </StepActions>
      </Form>
    </StepBody>
  );
}

function CodesStep(props: Parameters<typeof SaveBackupCodes>[0]) {
  const t = useTranslations("twoFactor");
  return (
    <StepBody part="codes" title={t("codesTitle")} text={t("codesText")}>
      <SaveBackupCodes {...props} />
    </StepBody>
  );
}

function TwoFactorStep({ onCodes, onNext }: { onCodes(codes: string[]): void; onNext(): void }) {
  const t = useTranslations("setup.twoFactor");
  const common = useTranslations("common");
  const { data, error, mutate } = useApi(api.readTwoFactor);
  return (
    <StepBody part="scan" title={t("title")} text={t("text")}>
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-72" />
      ) : data.enabled ? (
        <>
          <Notice tone="good">{t("isOn")}</Notice>
          <StepActions>
            <Button size="lg" onClick={onNext}>
              {common("next")}
            </Button>
          </StepActions>
        </>
      ) : (
        <>
          <EnrolTwoFactor
            onCodes={(made) => {
              onCodes(made);
              // Changed in the cache at once: the step may be shown again before the status is loaded.
              void mutate({ ...data, enabled: true });
            }}
          />
          <div className="flex flex-wrap items-center gap-3 border-t pt-6">
            <Button variant="outline" onClick={onNext}>
              {t("skip")}
            </Button>
            <p className="text-sm text-ink-muted">{t("skipHint")}</p>
          </div>
        </>
      )}
    </StepBody>
  );
}
