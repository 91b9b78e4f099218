"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { answerLeavePrompt, useLeavePrompt, useUnsavedParts, watchNavigation } from "@/lib/client/unsaved";

const load = () => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog);
const ConfirmDialog = dynamic(load, { ssr: false });

/** Asks for confirmation before a page with unsaved changes is left. */
export function LeaveGuard() {
  const t = useTranslations("common.leave");
  const format = useFormatter();
  const router = useRouter();
  const question = useLeavePrompt();
  const isNeeded = useUnsavedParts().size > 0;
  useEffect(() => watchNavigation((path) => router.push(path)), [router]);
  useEffect(() => {
    // Loaded as soon as there are unsaved changes: it must open even when the server is unreachable.
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
