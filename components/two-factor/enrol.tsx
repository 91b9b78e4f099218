"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { loadPart } from "@/lib/client/load-part";
import { awaitSecret } from "@/lib/client/unsaved";
import type { TwoFactorEnrolment } from "@/lib/contracts/console/two-factor";
import { CallError } from "../forms/call-error";
import { CodeInput } from "../forms/code-input";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { PasswordInput } from "../forms/password-input";
import { useAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { keepFocus } from "../ui/keep-focus";
import { Notice } from "../ui/notice";
import { Skeleton } from "../ui/skeleton";

type Stage =
  | { kind: "starting" }
  | { kind: "password"; isWrong: boolean }
  | { kind: "failed"; error: unknown }
  | { kind: "scan"; enrolment: TwoFactorEnrolment; replacesPending: boolean };

/** Enables 2FA: password (if the sign-in is not recent), QR code, first TOTP code. */
export function EnrolTwoFactor({
  takesFocus = false,
  onCodes,
}: {
  /** The password field takes the focus. */
  takesFocus?: boolean;
  /** Called with the backup codes when 2FA is enabled, even after the component was unmounted. */
  onCodes(codes: string[]): void;
}) {
  const { stage, setStage, start } = useEnrolment();

  switch (stage.kind) {
    case "starting":
      return <Skeleton className="h-72 w-full" />;
    case "failed":
      return (
        <CallError
          error={stage.error}
          onRetry={() => {
            setStage({ kind: "starting" });
            void start();
          }}
        />
      );
    case "password":
      return <PasswordStep isWrong={stage.isWrong} takesFocus={takesFocus} onPassword={start} />;
    case "scan":
      return <Scan enrolment={stage.enrolment} replacesPending={stage.replacesPending} onCodes={onCodes} />;
    default:
      return stage satisfies never;
  }
}

/** Starts the enrolment at once, and holds its stage. Where a password is needed, `start` is called again with it. */
function useEnrolment() {
  const [stage, setStage] = useState<Stage>({ kind: "starting" });
  const hasStarted = useRef(false);

  const start = async (password?: string) => {
    try {
      // Each start creates a new secret; it replaces one that an earlier visit showed but did not confirm.
      const { pending } = await callApi(api.readTwoFactor);
      const enrolment = await callApi(api.setUpTwoFactor, { body: { password } });
      setStage({ kind: "scan", enrolment, replacesPending: pending });
    } catch (error) {
      const needsPassword = isApiError(error) && (error.status === 400 || error.status === 403);
      setStage(
        needsPassword ? { kind: "password", isWrong: password !== undefined } : { kind: "failed", error },
      );
    }
  };

  useEffect(() => {
    // React runs effects twice in development; only one secret may be created.
    if (hasStarted.current) return;
    hasStarted.current = true;
    void start();
  });
  return { stage, setStage, start };
}

function Scan({
  enrolment,
  replacesPending,
  onCodes,
}: {
  enrolment: TwoFactorEnrolment;
  replacesPending: boolean;
  onCodes(codes: string[]): void;
}) {
  const t = useTranslations("twoFactor");
  const [code, setCode] = useState("");
  const { isBusy, error, run } = useAction();
  const isWrong = isApiError(error, "invalid_code") || (isApiError(error) && error.status === 400);

  const check = (digits: string) =>
    run(async () => {
      try {
        const reply = callApi(api.enableTwoFactor, { body: { code: digits } });
        const { backup_codes } = await awaitSecret(t("codesTitle"), reply);
        onCodes(backup_codes);
      } catch (failure) {
        setCode("");
        throw failure;
      }
    });

  return (
    <Form
      className="grid gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.length === 6 && !isBusy) void check(code);
      }}
    >
      {replacesPending ? (
        <Notice tone="warn" title={t("newSecretTitle")}>
          {t("newSecretText")}
        </Notice>
      ) : null}
      <Secret enrolment={enrolment} />
      <Field label={t("code")} hint={t("codeHint")} error={isWrong ? t("wrongCode") : undefined}>
        {(control) => (
          <CodeInput
            {...control}
            value={code}
            readOnly={isBusy}
            onValueChange={setCode}
            onComplete={(digits) => void check(digits)}
          />
        )}
      </Field>
      {error && !isWrong ? <CallError error={error} /> : null}
      <Button type="submit" className="w-fit" isBusy={isBusy} disabled={code.length < 6}>
        {t("check")}
      </Button>
    </Form>
  );
}

/** The secret as a QR code and as text. */
function Secret({ enrolment }: { enrolment: TwoFactorEnrolment }) {
  const t = useTranslations("twoFactor");
  return (
    <div className="grid gap-5 sm:grid-cols-[auto_1fr] sm:items-start">
      <QrCode text={enrolment.otpauth_uri} label={t("qr")} />
      <div className="grid gap-4">
        <div className="grid gap-1">
          <h3 className="text-base">{t("scanTitle")}</h3>
          <p className="text-ink-muted">{t("scanText")}</p>
        </div>
        <div className="grid gap-1">
          <p className="text-sm text-ink-muted">{t("typed")}</p>
          <div className="flex items-center gap-2">
            <code className="secret-text break-words">{enrolment.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
            <CopyButton value={enrolment.secret} name={t("copySecret")} />
          </div>
        </div>
      </div>
    </div>
  );
}

/** Asks for the password again, because the sign-in is not recent. */
function PasswordStep({
  isWrong,
  takesFocus,
  onPassword,
}: {
  isWrong: boolean;
  takesFocus: boolean;
  onPassword(password: string): Promise<void>;
}) {
  const t = useTranslations("twoFactor");
  const common = useTranslations("common");
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  return (
    <Form
      className="grid max-w-form gap-4"
      onSubmit={async (event) => {
        event.preventDefault();
        setBusy(true);
        const { activeElement } = document;
        // The QR code replaces this step. The dialog takes the focus itself.
        if (activeElement instanceof HTMLElement && !takesFocus)
          keepFocus(activeElement, document.querySelector("h1"));
        await onPassword(password);
        setBusy(false);
      }}
    >
      <div className="grid gap-1">
        <h3 className="text-base">{t("passwordTitle")}</h3>
        <p className="text-ink-muted">{t("passwordText")}</p>
      </div>
      <Field label={t("password")} error={isWrong ? t("wrongPassword") : undefined}>
        {(control) => (
          <PasswordInput
            {...control}
            // The field replaces the element that had the focus in the dialog.
            autoFocus={takesFocus}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" className="w-fit" isBusy={isBusy} disabled={password === ""}>
        {common("next")}
      </Button>
    </Form>
  );
}

/** A QR code as one SVG path, always dark on light so that cameras can read it. The encoder is loaded on demand. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ path: string; size: number } | null>(null);

  useEffect(() => {
    let isCurrent = true;
    void loadPart(() => import("qrcode")).then(({ create }) => {
      const { modules } = create(text, { errorCorrectionLevel: "M" });
      const squares: string[] = [];
      for (let row = 0; row < modules.size; row++) {
        for (let column = 0; column < modules.size; column++) {
          if (modules.get(row, column)) squares.push(`M${column} ${row}h1v1h-1z`);
        }
      }
      if (isCurrent) setCode({ path: squares.join(""), size: modules.size });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);

  if (!code) return <Skeleton className="size-48 rounded-md" />;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-3 -3 ${code.size + 6} ${code.size + 6}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border bg-qr-light"
    >
      <path d={code.path} className="fill-qr-dark" />
    </svg>
  );
}
