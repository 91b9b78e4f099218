"use client";

import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { awaitSecret } from "@/lib/client/unsaved";
import { useApiCache } from "@/lib/client/use-api";
import type { TwoFactorProof } from "@/lib/contracts/console/two-factor";
import { CodeField } from "../forms/code-field";
import { Form } from "../forms/form";
import { FormFooter } from "../forms/form-footer";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { useSchemaResolver } from "../forms/schema-resolver";
import { FormField } from "../forms/text-field";
import { useWhileMounted } from "../forms/use-action";
import { useSaveForm } from "../forms/use-save-form";
import { EnrolTwoFactor } from "../two-factor/enrol";
import { SaveBackupCodes } from "../two-factor/save-backup-codes";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle, focusSelf } from "../ui/dialog";
import { toast } from "../ui/toast";

export type TwoFactorDialogKind = "enrol" | "renew" | "off";

interface DialogProps {
  kind: TwoFactorDialogKind;
  /** Called with newly created backup codes, even if the dialog was closed meanwhile. */
  onCodes(codes: string[]): void;
  onClose(): void;
}

/** Turns 2FA on or off, or creates new backup codes. */
export function TwoFactorDialog({ kind, onCodes, onClose }: DialogProps) {
  const t = useTranslations("account.twoFactor");
  const words = {
    enrol: { title: t("enrolTitle"), text: t("enrolText") },
    renew: { title: t("renewTitle"), text: t("renewText") },
    off: { title: t("offTitle"), text: t("offDialogText") },
  }[kind];

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent
        className={kind === "enrol" ? "max-w-xl" : "max-w-md"}
        // An enrolment has no field yet, so its Close button would get the focus.
        onOpenAutoFocus={kind === "enrol" ? focusSelf : undefined}
      >
        <DialogHeader>
          <DialogTitle>{words.title}</DialogTitle>
          <DialogDescription>{words.text}</DialogDescription>
        </DialogHeader>
        <TwoFactorSteps kind={kind} onCodes={onCodes} onClose={onClose} />
      </DialogContent>
    </Dialog>
  );
}

/** The content of the dialog, by its kind. */
function TwoFactorSteps({ kind, onCodes, onClose }: DialogProps) {
  const t = useTranslations("account.twoFactor");
  const { reload } = useApiCache();
  const close = useWhileMounted(onClose);
  const refresh = () => reload(api.readSelf, api.readTwoFactor, api.listSessions);
  switch (kind) {
    case "enrol":
      return (
        <EnrolTwoFactor
          takesFocus
          onCodes={(codes) => {
            onCodes(codes);
            close();
            toast.success(t("enabled"));
            void refresh();
          }}
        />
      );
    case "renew":
      return (
        <ProofForm
          action={t("renewAction")}
          onProof={async (proof) => {
            const reply = callApi(api.renewBackupCodes, { body: proof });
            const { backup_codes } = await awaitSecret(t("renewTitle"), reply);
            onCodes(backup_codes);
            close();
            void reload(api.readTwoFactor);
          }}
          onCancel={onClose}
        />
      );
    case "off":
      return (
        <ProofForm
          action={t("switchOff")}
          isDanger
          onProof={async (proof) => {
            await callApi(api.disableTwoFactor, { body: proof });
            await refresh();
            toast.success(t("disabled"));
            close();
          }}
          onCancel={onClose}
        />
      );
    default:
      return kind satisfies never;
  }
}

/** Shows new backup codes; only its buttons close it. */
export function BackupCodesDialog({
  codes,
  username,
  onClose,
}: {
  codes: readonly string[];
  username: string;
  onClose(): void;
}) {
  const t = useTranslations("twoFactor");
  const preventClose = (event: Event) => event.preventDefault();
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-md" onInteractOutside={preventClose} onEscapeKeyDown={preventClose}>
        <DialogHeader>
          <DialogTitle>{t("codesTitle")}</DialogTitle>
          <DialogDescription>{t("codesText")}</DialogDescription>
        </DialogHeader>
        <SaveBackupCodes codes={codes} username={username} onSaved={onClose} />
      </DialogContent>
    </Dialog>
  );
}

const loadSchema = () => import("@/lib/contracts/console/two-factor").then((one) => one.TwoFactorProof);

/** Asks for the password and a 2FA code before a security-sensitive change. */
function ProofForm({
  action,
  isDanger = false,
  onProof,
  onCancel,
}: {
  action: string;
  isDanger?: boolean;
  onProof(proof: TwoFactorProof): Promise<void>;
  onCancel(): void;
}) {
  const t = useTranslations("account.twoFactor");
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    defaultValues: { password: "", code: "" },
  });
  const { error, onSubmit } = useSaveForm(form, {
    fields: ["password", "code"],
    save: onProof,
    onFailure: (failure) => {
      if (isApiError(failure, "invalid_credentials")) form.setValue("code", "");
      return false;
    },
  });

  return (
    <Form onSubmit={onSubmit} noValidate className="grid gap-5">
      <ProofError error={error} wrong={t("wrong")} />
      <FormField form={form} name="password" label={t("password")}>
        {(control) => <PasswordInput {...control} autoComplete="current-password" />}
      </FormField>
      <CodeField form={form} name="code" label={t("code")} />
      <FormFooter
        action={action}
        isBusy={form.formState.isSubmitting}
        isDanger={isDanger}
        onCancel={onCancel}
      />
    </Form>
  );
}
