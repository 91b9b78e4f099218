"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { answerLeavePrompt, useLeavePrompt, useUnsavedParts, watchNavigation } from "@/lib/client/unsaved";

const load = () => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog);
const ConfirmDialog = dynamic(load, { ssr: false });

/** Asks before a page with unsaved words is left, and names them. */
export function LeaveGuard() {
  const t = useTranslations("common.leave");
  const format = useFormatter();
  const router = useRouter();
  const question = useLeavePrompt();
  const isNeeded = useUnsavedParts().size > 0;
  useEffect(() => watchNavigation((path) => router.push(path)), [router]);
  useEffect(() => {
    // There before it is asked for: who leaves because the network is away is asked all the same.
    if (isNeeded) load().catch(() => undefined);
  }, [isNeeded]);
  if (!question) return null;
  return (
    <ConfirmDialog
      title={t("title")}
      text={t("text", { names: format.list(question.names) })}
      action={t("leave")}
      cancel={t("stay")}
      onConfirm={async () => answerLeavePrompt(true)}
      onClose={() => answerLeavePrompt(false)}
    />
  );
}
