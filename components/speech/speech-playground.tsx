"use client";

import { AudioLinesIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { PageHeader } from "../shell/page-header";
import { SpeechWorkspace } from "./speech-workspace";

// Loaded on demand: almost every user may use a model.
const EmptyState = dynamic(() => import("../ui/empty-state").then((one) => one.EmptyState));

/** The speech playground, or an empty state where the user may use no model. */
export function SpeechPlayground({ userId, models }: { userId: string; models: readonly GatewayModel[] }) {
  const t = useTranslations("speech");
  const missing = useTranslations("playground.noModel");
  const [initialModel] = models;
  if (initialModel) return <SpeechWorkspace userId={userId} models={models} initialModel={initialModel} />;
  return (
    <>
      <PageHeader title={t("title")} description={t("lead")} />
      <EmptyState icon={<AudioLinesIcon />} title={missing("title")}>
        {missing("text")}
      </EmptyState>
    </>
  );
}
