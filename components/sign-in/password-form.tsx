"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { SIGN_IN_FLOW_MS } from "@/lib/contracts/durations";
import { useCountdown } from "../forms/countdown";
import { Form } from "../forms/form";
import { PasswordInput } from "../forms/password-input";
import { useSchemaResolver } from "../forms/schema-resolver";
import { AS_TYPED, FormField, FormTextField } from "../forms/text-field";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { SentenceGap } from "../ui/sentence-gap";
import { openWithSession } from "./open-with-session";
import { readPendingSignIn, savePendingSignIn } from "./pending-sign-in";
import { SignInError } from "./sign-in-error";

const loadSchema = () => import("@/lib/contracts/console/sign-in").then((one) => one.SignInRequest);

export type SignInReason = "ended" | "expired" | "spent" | "taken" | "noCookie";

/** Username and password; continues with 2FA or at `returnTo`. */
export function PasswordForm({
  returnTo,
  reason,
  mayRegister,
}: {
  returnTo: string;
  reason: SignInReason | null;
  /** Self-registration is allowed. */
  mayRegister: boolean;
}) {
  const t = useTranslations("signIn");
  const { form, error, waitSeconds, isLeaving, signIn } = usePasswordSignIn(returnTo);
  const { isSubmitting } = form.formState;

  return (
    <Form onSubmit={signIn} noValidate className="grid gap-5">
      <div className="mb-1 grid gap-1">
        <h1 className="text-2xl">{t("title")}</h1>
        <p className="text-ink-muted">{t("lead")}</p>
      </div>
      {reason && !error ? (
        <Notice tone="info" isLive>
          {t(reason)}
        </Notice>
      ) : null}
      <SignInError error={error} />
      <FormTextField
        form={form}
        name="username"
        label={t("username")}
        autoComplete="username"
        {...AS_TYPED}
      />
      <FormField form={form} name="password" label={t("password")}>
        {(control) => <PasswordInput {...control} autoComplete="current-password" />}
      </FormField>
      <Button type="submit" size="lg" isBusy={isSubmitting || isLeaving} disabled={waitSeconds > 0}>
        {t("submit")}
      </Button>
      {mayRegister ? <RegisterLink /> : null}
      <ForgottenPassword />
    </Form>
  );
}

function RegisterLink() {
  const t = useTranslations("signIn");
  return (
    <p className="text-sm text-ink-muted">
      {t("noAccount")}
      <SentenceGap />
      <Button asChild variant="link" size="inline" className="text-sm">
        <a href="/register">{t("register")}</a>
      </Button>
    </p>
  );
}

/** How to reset a password. */
function ForgottenPassword() {
  const t = useTranslations("signIn");
  return (
    <details className="text-sm text-ink-muted">
      <summary className="w-fit rounded-sm underline decoration-line-strong underline-offset-4">
        {t("forgotten")}
      </summary>
      <p className="mt-3">{t("forgottenText")}</p>
      <code className="mt-2 block overflow-x-auto rounded-md bg-sunken px-3 py-2 text-ink">
        npm run admin -- reset-password
      </code>
    </details>
  );
}

/** The form's state and its submission. */
function usePasswordSignIn(returnTo: string) {
  const router = useRouter();
  // No default values: they would overwrite what the user or a password manager entered before hydration.
  const form = useForm({ resolver: useSchemaResolver(loadSchema) });
  const [error, setError] = useState<unknown>(null);
  const [isLeaving, setLeaving] = useState(false);
  const [lockedUntil, setLockedUntil] = useState<number | null>(null);
  const waitSeconds = useCountdown(lockedUntil);

  useEffect(() => {
    const pending = readPendingSignIn();
    if (!pending) return;
    if (pending.username) form.setValue("username", pending.username);
    form.setFocus(pending.username ? "password" : "username");
  }, [form]);

  const signIn = form.handleSubmit(async (values) => {
    setError(null);
    try {
      const result = await callApi(api.signIn, { body: values });
      if ("require_2fa" in result) {
        setLeaving(true);
        // By this browser's clock, which may differ from the server's.
        savePendingSignIn({ username: values.username, expiresAt: Date.now() + SIGN_IN_FLOW_MS });
        const query = returnTo === "/" ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
        // The fragment of the requested page is kept; it is never sent to the server.
        router.push(`/login/2fa${query}${window.location.hash}`);
        return;
      }
      await openWithSession(returnTo);
      setLeaving(true);
    } catch (failure) {
      setError(failure);
      if (isApiError(failure, "not_initialized")) window.location.assign("/setup");
      if (isApiError(failure) && failure.retryAfter) {
        setLockedUntil(Date.now() + failure.retryAfter * 1_000);
      }
      form.setValue("password", "");
      form.setFocus("password");
    }
  });

  return { form, error, waitSeconds, isLeaving, signIn };
}
