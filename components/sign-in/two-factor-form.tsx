"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { SecondStepResult } from "@/lib/contracts/console/sign-in";
import { CallError } from "../forms/call-error";
import { CodeInput } from "../forms/code-input";
import { clockTime, useCountdown } from "../forms/countdown";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import type { SignInReason } from "./password-form";
import { clearPendingSignIn, savePendingSignIn, readPendingSignIn } from "./pending-sign-in";

/** Under this many seconds the time left is shown. */
const SHOW_EXPIRY_BELOW_S = 60;

/** The code after the password: six boxes that submit by themselves, or a backup code. */
export function TwoFactorForm({ returnTo }: { returnTo: string }) {
  const t = useTranslations("signIn.twoFactor");
  const router = useRouter();
  const [method, setMethod] = useState<"totp" | "backup_code">("totp");
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [hasWrongForm, setWrongForm] = useState(false);
  const [lockedUntil, setLockedUntil] = useState<number | null>(null);
  const [expiresAt, setExpiresAt] = useState<number | null>(null);
  const [username, setUsername] = useState("");
  const waitSeconds = useCountdown(lockedUntil);
  const secondsLeft = useCountdown(expiresAt);

  const startAgain = useCallback(
    (reason: SignInReason | null) => {
      const kept = readPendingSignIn();
      if (kept) savePendingSignIn({ username: reason ? kept.username : "", expiresAt: null });
      if (!reason) clearPendingSignIn();
      const query = new URLSearchParams(reason ? { reason } : {});
      if (returnTo !== "/") query.set("return_to", returnTo);
      router.replace(`/login${query.size > 0 ? `?${query}` : ""}${window.location.hash}`);
    },
    [returnTo, router],
  );

  useEffect(() => {
    const pending = readPendingSignIn();
    if (!pending) return;
    setUsername(pending.username);
    setExpiresAt(pending.expiresAt);
  }, []);

  useEffect(() => {
    if (expiresAt === null) return;
    const timer = setTimeout(() => startAgain("expired"), Math.max(0, expiresAt - Date.now()));
    return () => clearTimeout(timer);
  }, [expiresAt, startAgain]);

  const submit = async (text: string) => {
    if (isBusy || waitSeconds > 0) return;
    setBusy(true);
    setError(null);
    try {
      const { readCode } = await import("@/lib/contracts/console/totp-code");
      const hasRightForm = readCode(text)?.method === method;
      setWrongForm(!hasRightForm);
      if (!hasRightForm) return setBusy(false);
      await api.post<SecondStepResult>("/api/user/login/2fa", { code: text });
      clearPendingSignIn();
      window.location.assign(returnTo + window.location.hash);
    } catch (failure) {
      setBusy(false);
      setCode("");
      if (isApiError(failure, "flow_expired")) return startAgain("expired");
      if (isApiError(failure, "invalid_code") && failure.attemptsLeft === 0) return startAgain("spent");
      if (isApiError(failure) && failure.retryAfter) {
        setLockedUntil(Date.now() + failure.retryAfter * 1_000);
      }
      setError(failure);
    }
  };

  const switchMethod = () => {
    setMethod(method === "totp" ? "backup_code" : "totp");
    setCode("");
    setError(null);
    setWrongForm(false);
  };

  const isWrong = isApiError(error, "invalid_code");
  const left = isWrong ? (error.attemptsLeft ?? 0) : 0;
  const wrongText = method === "totp" ? t("wrong", { left }) : t("wrongBackup", { left });
  const fault = hasWrongForm ? t("wrongForm") : isWrong ? wrongText : undefined;
  return (
    <Form
      className="grid gap-5"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit(code);
      }}
    >
      <div className="mb-1 grid gap-1">
        <h1 className="text-2xl">{t("title")}</h1>
        {username ? <p className="text-ink-muted">{t("as", { username })}</p> : null}
      </div>
      {isApiError(error, "rate_limited") ? (
        <Notice tone="warn" isLive={waitSeconds === 0}>
          {waitSeconds > 0 ? t("locked", { time: clockTime(waitSeconds) }) : t("unlocked")}
        </Notice>
      ) : error && !isWrong ? (
        <CallError error={error} />
      ) : null}
      {method === "totp" ? (
        <Field key="totp" label={t("code")} hint={t("text")} error={fault}>
          {(control) => (
            <CodeInput
              {...control}
              value={code}
              autoFocus
              readOnly={isBusy}
              disabled={waitSeconds > 0}
              onValueChange={setCode}
              onComplete={(digits) => void submit(digits)}
            />
          )}
        </Field>
      ) : (
        <Field key="backup" label={t("backupCode")} hint={t("backupText")} error={fault}>
          {(control) => (
            <Input
              {...control}
              value={code}
              // The visitor has just asked for this field.
              autoFocus
              readOnly={isBusy}
              disabled={waitSeconds > 0}
              onChange={(event) => setCode(event.target.value)}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              className="h-11 font-mono text-lg uppercase"
            />
          )}
        </Field>
      )}
      <Button type="submit" size="lg" isBusy={isBusy} disabled={code.trim() === "" || waitSeconds > 0}>
        {t("submit")}
      </Button>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Button variant="link" size="inline" onClick={switchMethod}>
          {method === "totp" ? t("useBackup") : t("useCode")}
        </Button>
        <Button variant="link" size="inline" onClick={() => startAgain(null)}>
          {t("other")}
        </Button>
      </div>
      <p role="timer" className="text-sm text-ink-faint">
        {secondsLeft > 0 && secondsLeft <= SHOW_EXPIRY_BELOW_S
          ? t("expiresIn", { time: clockTime(secondsLeft) })
          : " "}
      </p>
    </Form>
  );
}
