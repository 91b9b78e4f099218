"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { withQuery } from "@/lib/contracts/with-query";
import { CodeInput } from "../forms/code-input";
import { clockTime, useCountdown } from "../forms/countdown";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { TextField } from "../forms/text-field";
import { Button } from "../ui/button";
import { openWithSession } from "./open-with-session";
import type { SignInReason } from "./password-form";
import { readPendingSignIn, savePendingSignIn } from "./pending-sign-in";
import { SignInError } from "./sign-in-error";

/** The remaining time is shown below this many seconds. */
const SHOW_EXPIRY_BELOW_S = 60;

/**
 * Asks for a TOTP code, which is submitted when complete, or for a backup code. Continues at `returnTo`. `hasCookie`:
 * the browser sent the cookie of the sign-in that waits for its code.
 */
export function TwoFactorForm({ returnTo, hasCookie }: { returnTo: string; hasCookie: boolean }) {
  const t = useTranslations("signIn.twoFactor");
  const { username, secondsLeft, startAgain } = usePendingSignIn(returnTo, hasCookie);
  const step = useCodeSubmission(returnTo, startAgain);
  const { method, code, isBusy, error, waitSeconds } = step;

  const isWrong = isApiError(error, "invalid_code");
  const attemptsLeft = isWrong ? (error.attemptsLeft ?? 0) : 0;
  const wrongText =
    method === "totp" ? t("wrong", { left: attemptsLeft }) : t("wrongBackup", { left: attemptsLeft });
  const codeError = step.isMalformed ? t("malformed") : isWrong ? wrongText : undefined;
  return (
    <Form
      className="grid gap-5"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void step.submit(code);
      }}
    >
      <div className="mb-1 grid gap-1">
        <h1 className="text-2xl">{t("title")}</h1>
        {username ? <p className="text-ink-muted">{t("as", { username })}</p> : null}
      </div>
      {isWrong ? null : <SignInError error={error} />}
      {method === "totp" ? (
        <Field key="totp" label={t("code")} hint={t("text")} error={codeError}>
          {(control) => (
            <CodeInput
              {...control}
              value={code}
              autoFocus
              readOnly={isBusy}
              disabled={waitSeconds > 0}
              onValueChange={step.setCode}
              onComplete={(digits) => void step.submit(digits)}
            />
          )}
        </Field>
      ) : (
        <TextField
          key="backup"
          label={t("backupCode")}
          hint={t("backupText")}
          error={codeError}
          value={code}
          // The user has just asked for this field.
          autoFocus
          // A disabled field would lose the focus.
          readOnly={isBusy || waitSeconds > 0}
          aria-disabled={waitSeconds > 0}
          onChange={(event) => step.setCode(event.target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          inputClassName="h-11 font-mono text-lg uppercase"
        />
      )}
      <Button type="submit" size="lg" isBusy={isBusy} disabled={code.trim() === "" || waitSeconds > 0}>
        {t("submit")}
      </Button>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Button variant="link" size="inline" onClick={step.switchMethod}>
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

/**
 * The sign-in that waits for its code. Returns to the password page when it expires, and at once without its cookie.
 */
function usePendingSignIn(returnTo: string, hasCookie: boolean) {
  const router = useRouter();
  const [expiresAt, setExpiresAt] = useState<number | null>(null);
  const [username, setUsername] = useState("");
  const secondsLeft = useCountdown(expiresAt);

  /**
   * Returns to the password page, which focuses a field. With a reason, that page shows it and fills in the username.
   */
  const startAgain = useCallback(
    (reason: SignInReason | null) => {
      const pending = readPendingSignIn();
      savePendingSignIn({ username: (reason && pending?.username) ?? "", expiresAt: null });
      const query = new URLSearchParams(reason ? { reason } : {});
      if (returnTo !== "/") query.set("return_to", returnTo);
      router.replace(withQuery("/login", query) + window.location.hash);
    },
    [returnTo, router],
  );

  useEffect(() => {
    const pending = readPendingSignIn();
    if (!pending) return;
    if (!hasCookie && pending.expiresAt !== null && pending.expiresAt > Date.now())
      return startAgain("noCookie");
    setUsername(pending.username);
    setExpiresAt(pending.expiresAt);
  }, [hasCookie, startAgain]);

  useEffect(() => {
    if (expiresAt === null) return;
    const timer = setTimeout(() => startAgain("expired"), Math.max(0, expiresAt - Date.now()));
    return () => clearTimeout(timer);
  }, [expiresAt, startAgain]);

  return { username, secondsLeft, startAgain };
}

/** The code field's state, and its submission. */
function useCodeSubmission(returnTo: string, startAgain: (reason: SignInReason) => void) {
  const [method, setMethod] = useState<"totp" | "backup_code">("totp");
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isMalformed, setMalformed] = useState(false);
  const [lockedUntil, setLockedUntil] = useState<number | null>(null);
  const waitSeconds = useCountdown(lockedUntil);

  const submit = async (text: string) => {
    if (isBusy || waitSeconds > 0) return;
    setBusy(true);
    setError(null);
    try {
      const { readCode } = await import("@/lib/contracts/console/two-factor");
      const isWellFormed = readCode(text)?.method === method;
      setMalformed(!isWellFormed);
      if (!isWellFormed) return setBusy(false);
      await callApi(api.signInWithCode, { body: { code: text } });
      await openWithSession(returnTo);
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
    // The wait applies to both methods.
    if (waitSeconds === 0) setError(null);
    setMalformed(false);
  };
  return { method, code, setCode, isBusy, error, isMalformed, waitSeconds, submit, switchMethod };
}
