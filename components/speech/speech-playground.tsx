"use client";

import { AudioLinesIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { PageHeader } from "../shell/page-header";
import { EmptyState } from "../ui/empty-state";
import { SpeechWorkspace } from "./speech-workspace";

/** The speech playground: its bench, or a word on what is missing. */
export function SpeechPlayground({ userId, models }: { userId: string; models: readonly GatewayModel[] }) {
  const t = useTranslations("speech");
  const missing = useTranslations("playground.noModel");
  // One that speaks at once comes first: of another, a voice has to be named.
  const first = models.find((one) => one.defaultVoice !== null) ?? models[0];
  if (first) return <SpeechWorkspace userId={userId} models={models} first={first} />;
  return (
    <>
      <PageHeader title={t("title")} description={t("lead")} />
      <EmptyState icon={<AudioLinesIcon />} title={missing("title")}>
        {missing("text")}
      </EmptyState>
    </>
  );
}
