"use client";

import { useTranslations } from "use-intl";
import { PageHeader } from "../shell/page-header";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Lamp } from "../ui/lamp";
import { Notice } from "../ui/notice";
import { FirstSteps, type StepsDone } from "./first-steps";

interface OfferedModel {
  name: string;
  operation: "speech" | "embeddings";
}

/** Where a newcomer stands: what to do next, and the address programs call. */
export function OverviewPage({
  origin,
  done,
  isSetupUnfinished,
  models,
}: {
  origin: string;
  done: StepsDone;
  isSetupUnfinished: boolean;
  models: readonly OfferedModel[];
}) {
  const t = useTranslations("overview");
  return (
    <div className="mx-auto max-w-page">
      <PageHeader title={t("title")} description={t("lead")} />
      {isSetupUnfinished ? (
        <Notice tone="info" title={t("unfinished")} className="mb-6">
          <span className="flex flex-wrap items-center justify-between gap-3">
            {t("unfinishedText")}
            <Button asChild variant="outline" size="sm">
              {/* A whole load: the wizard stands outside the console's frame. */}
              <a href="/setup">{t("resume")}</a>
            </Button>
          </span>
        </Notice>
      ) : null}
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <FirstSteps done={done} origin={origin} models={models} />
        <div className="grid gap-6">
          <section className="grid gap-2">
            <h2 className="text-sm font-medium">{t("address")}</h2>
            <div className="flex items-center gap-1 rounded-md border bg-panel py-1 pr-1 pl-3">
              <code className="min-w-0 flex-1 break-all">{origin}</code>
              <CopyButton value={origin} name={t("copyAddress")} />
            </div>
          </section>
          <section className="grid gap-2">
            <h2 className="text-sm font-medium">{t("models")}</h2>
            <ul className="grid gap-1.5">
              {models.map((model) => (
                <li key={model.name} className="flex flex-wrap items-center gap-x-2">
                  <Lamp tone="good" />
                  <code>{model.name}</code>
                  <span className="text-ink-muted">{t(model.operation)}</span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      </div>
    </div>
  );
}
