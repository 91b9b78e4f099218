"use client";

import { type KeyboardEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { CallError } from "../../forms/call-error";
import { Field } from "../../forms/field";
import { PasswordInput } from "../../forms/password-input";
import { Button } from "../../ui/button";
import { Notice } from "../../ui/notice";

/** A private address: the owner allows it here and now with the password; others are told whom to ask. */
export function PrivateAddress({
  target,
  baseUrl,
  mayAllow,
  onAllowed,
}: {
  /** `host:port` */
  target: string;
  baseUrl: string;
  mayAllow: boolean;
  onAllowed(): void;
}) {
  const t = useTranslations("channels.form.private");
  const [password, setPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const allow = async () => {
    if (password === "" || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      await api.post("/api/upstreams/allowed", { base_url: baseUrl, password });
      onAllowed();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  // The whole page is one form already; Enter here answers this question alone.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    void allow();
  };

  return (
    <Notice tone="warn" title={t("title", { target })} isLive>
      <div className="grid gap-3">
        <p>{mayAllow ? t("owner") : t("admin", { target })}</p>
        {mayAllow ? (
          <div className="grid gap-3">
            <div className="flex flex-wrap items-end gap-2">
              <Field label={t("password")} className="min-w-56 flex-1 text-ink">
                {(control) => (
                  <PasswordInput
                    {...control}
                    value={password}
                    onChange={(event) => setPassword(event.target.value)}
                    onKeyDown={onKeyDown}
                    autoComplete="current-password"
                    // The notice appears as the answer to a press: its field is what comes next.
                    autoFocus
                  />
                )}
              </Field>
              <Button isBusy={isBusy} disabled={password === ""} onClick={() => void allow()}>
                {t("allow")}
              </Button>
            </div>
            <CallError error={error} />
          </div>
        ) : null}
      </div>
    </Notice>
  );
}
