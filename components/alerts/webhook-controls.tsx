"use client";

import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { awaitSecret } from "@/lib/client/unsaved";
import { useApi } from "@/lib/client/use-api";
import type { WebhookKind, WebhookTest } from "@/lib/contracts/console/alerts";
import type { Settings } from "@/lib/contracts/console/settings";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { useAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { lazyPart } from "../ui/lazy-part";
import { Notice } from "../ui/notice";
import { useAlertText } from "./alert-text";

const SecretDialogs = lazyPart(() => import("./secret-dialogs").then((one) => one.SecretDialogs));

/** The signing secret, and for each webhook a button that sends a test message. */
export function WebhookControls({ alerts }: { alerts: Settings["alerts"] }) {
  const t = useTranslations("alerts.webhook");
  const common = useTranslations("common");
  const { data: summary, mutate } = useApi(api.summarizeAlerts);
  const [dialog, setDialog] = useState<"replace" | { secret: string } | null>(null);
  const { isBusy, error, run } = useAction();
  const hasSecret = summary?.webhook_secret.made ?? false;

  const create = async () => {
    const { secret } = await awaitSecret(t("revealTitle"), callApi(api.createWebhookSecret));
    setDialog({ secret });
    await mutate();
  };
  return (
    <div className="grid max-w-form gap-6">
      {alerts.webhook_url === null ? null : (
        <div className="grid gap-2">
          <p className="font-medium">{t("signed")}</p>
          <p className="text-ink-muted">
            {common("labelled", {
              label: t("secret"),
              value: hasSecret ? t("secretSet") : t("secretNone"),
            })}
          </p>
          <CallError error={error} />
          <div className="flex flex-wrap gap-2">
            {hasSecret ? (
              <Button variant="outline" size="sm" onClick={() => setDialog("replace")}>
                {t("replace")}
              </Button>
            ) : (
              <Button size="sm" isBusy={isBusy} onClick={() => void run(create)}>
                {t("create")}
              </Button>
            )}
            {hasSecret ? <TestButton kind="signed" /> : null}
          </div>
        </div>
      )}
      {alerts.slack_url === null ? null : (
        <div className="grid gap-2">
          <p className="font-medium">{t("slack")}</p>
          <p className="text-ink-muted">{t("slackText")}</p>
          <div className="flex flex-wrap gap-2">
            <TestButton kind="slack" />
          </div>
        </div>
      )}
      <Button asChild variant="link" size="inline" className="w-fit">
        <Link href="/docs/guides/alerts">{t("guide")}</Link>
      </Button>
      {dialog ? <SecretDialogs dialog={dialog} onReplace={create} onClose={() => setDialog(null)} /> : null}
    </div>
  );
}

function TestButton({ kind }: { kind: WebhookKind }) {
  const t = useTranslations("alerts");
  const alertText = useAlertText();
  const [test, setTest] = useState<WebhookTest | null>(null);
  const { isBusy, error, run } = useAction();
  const send = async () => {
    setTest(null);
    setTest(await callApi(api.testWebhook, { body: { kind } }));
  };
  const { ms } = useAmounts();
  return (
    <>
      <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void run(send)}>
        {t("webhook.test")}
      </Button>
      <CallError error={error} className="basis-full" />
      {test?.ok ? (
        <Notice
          tone="good"
          isLive
          className="basis-full"
          title={t("webhook.testOk", { time: ms(test.latency_ms) })}
        />
      ) : null}
      {test && !test.ok ? (
        <Notice
          tone="bad"
          isLive
          className="basis-full"
          title={t("webhook.testFailed", { error: alertText.errorOf(test.error) })}
        >
          {test.error === "address_refused" ? t("errorHelp.address_refused") : null}
        </Notice>
      ) : null}
    </>
  );
}
