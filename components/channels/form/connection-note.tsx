"use client";

import { type KeyboardEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { CallError, RecordError } from "../../forms/call-error";
import { Field } from "../../forms/field";
import { PasswordInput } from "../../forms/password-input";
import { useAction } from "../../forms/use-action";
import { StatusDot } from "../../ui/badge";
import { Button } from "../../ui/button";
import { Notice } from "../../ui/notice";
import { Spinner } from "../../ui/progress";
import { useUpstreamErrorText } from "../test-outcome";
import type { Connection } from "./use-connection";

interface AllowanceProps {
  baseUrl: string;
  mayAllow: boolean;
  onAllowed(): void;
}

/** Result of "Connect", shown under the button. */
export function ConnectionNote({ connection, ...props }: AllowanceProps & { connection: Connection }) {
  const t = useTranslations("channels.form");
  const upstreamErrorText = useUpstreamErrorText();
  switch (connection.kind) {
    case "none":
      return null;
    case "busy":
      return (
        <p role="status" className="flex items-center gap-2 text-ink-muted">
          <Spinner className="size-3.5" />
          {t("connecting")}
        </p>
      );
    case "listed":
      return (
        <p role="status" className="flex items-baseline gap-2">
          <StatusDot tone="good" />
          {t("connected", { count: connection.count })}
        </p>
      );
    case "no-list":
      return (
        <Notice tone="info" isLive>
          {t("noList")}
        </Notice>
      );
    case "private":
      return <PrivateAddress target={connection.target} {...props} />;
    case "upstream-error": {
      const { summary, detail } = upstreamErrorText(connection.error);
      return (
        <Notice tone="bad" title={summary} isLive>
          <p>{detail}</p>
          <p>{t("listFailed")}</p>
        </Notice>
      );
    }
    case "failed":
      return <RecordError error={connection.error} />;
    default:
      return connection satisfies never;
  }
}

/**
 * Notice about a private address (`host:port`): the owner can allow it with their password; an admin sees that the
 * owner has to allow it.
 */
function PrivateAddress({ target, baseUrl, mayAllow, onAllowed }: AllowanceProps & { target: string }) {
  const t = useTranslations("channels.form.private");
  const [password, setPassword] = useState("");
  const { isBusy, error, run } = useAction();

  const allow = async () => {
    if (password === "" || isBusy) return;
    await run(async () => {
      await callApi(api.allowUpstream, { body: { base_url: baseUrl, password } });
      onAllowed();
    });
  };
  // Inside the page's form: Enter must not submit that form.
  const allowOnEnter = (event: KeyboardEvent) => {
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
                    onKeyDown={allowOnEnter}
                    autoComplete="current-password"
                    // The notice appears after a click on "Connect"; its field is the next step.
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
