"use client";

import dynamic from "next/dynamic";
import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAlertsSummary, useInstanceSettings } from "@/lib/client/alerts";
import { api } from "@/lib/client/api";
import type { WebhookSecret, WebhookTest } from "@/lib/contracts/console/alerts";
import { CallError } from "../forms/call-error";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { useAlertWords } from "./alert-text";

const SecretDialogs = dynamic(() => import("./secret-dialogs").then((one) => one.SecretDialogs), {
  ssr: false,
});

/** The secret that signs messages, and a message to try it with. */
export function WebhookSection() {
  const t = useTranslations("alerts.webhook");
  const { data: settings } = useInstanceSettings();
  const { data: summary, mutate } = useAlertsSummary();
  const [dialog, setDialog] = useState<"renew" | { secret: string } | null>(null);
  const [isMaking, setMaking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isMade = summary?.webhook_secret.made ?? false;

  const make = async () => {
    const { secret } = await api.post<WebhookSecret>("/api/alerts/webhook/secret");
    setDialog({ secret });
    await mutate();
  };
  const makeFirst = async () => {
    setMaking(true);
    setError(null);
    await make().catch(setError);
    setMaking(false);
  };

  return (
    <Section title={t("title")} text={t("text")}>
      {!settings || !summary ? (
        <Skeleton className="h-20 max-w-form" />
      ) : settings.alerts.webhook_url === null ? (
        <p className="text-ink-muted">{t("none")}</p>
      ) : (
        <div className="grid max-w-form gap-5">
          <div className="grid gap-2">
            <p className="font-medium">{t("secret")}</p>
            <p className="text-ink-muted">{isMade ? t("secretMade") : t("secretNone")}</p>
            <CallError error={error} />
            <div className="flex flex-wrap gap-2">
              {isMade ? (
                <Button variant="outline" size="sm" onClick={() => setDialog("renew")}>
                  {t("renew")}
                </Button>
              ) : (
                <Button size="sm" isBusy={isMaking} onClick={() => void makeFirst()}>
                  {t("make")}
                </Button>
              )}
              {isMade ? <TestButton /> : null}
            </div>
          </div>
          <Button asChild variant="link" size="inline" className="w-fit">
            <Link href="/docs/guides/alerts">{t("guide")}</Link>
          </Button>
        </div>
      )}
      {dialog ? <SecretDialogs dialog={dialog} onRenew={make} onClose={() => setDialog(null)} /> : null}
    </Section>
  );
}

function TestButton() {
  const t = useTranslations("alerts");
  const words = useAlertWords();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ test: WebhookTest } | { error: unknown } | null>(null);
  const run = async () => {
    setBusy(true);
    setOutcome(null);
    try {
      setOutcome({ test: await api.post<WebhookTest>("/api/alerts/webhook/test") });
    } catch (error) {
      setOutcome({ error });
    } finally {
      setBusy(false);
    }
  };
  const test = outcome && "test" in outcome ? outcome.test : null;
  return (
    <>
      <Button variant="outline" size="sm" isBusy={isBusy} onClick={() => void run()}>
        {t("webhook.test")}
      </Button>
      {outcome && "error" in outcome ? <CallError error={outcome.error} className="basis-full" /> : null}
      {test?.ok ? (
        <Notice
          tone="good"
          isLive
          className="basis-full"
          title={t("webhook.testOk", { ms: String(test.latency_ms) })}
        />
      ) : null}
      {test && !test.ok ? (
        <Notice
          tone="bad"
          isLive
          className="basis-full"
          title={t("webhook.testFailed", { error: words.errorOf(test.error) })}
        >
          {test.error === "address_refused" ? t("errorHelp.address_refused") : null}
        </Notice>
      ) : null}
    </>
  );
}
