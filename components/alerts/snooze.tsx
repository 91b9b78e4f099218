"use client";

import { BellOffIcon } from "lucide-react";
import { useFormatter, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import type { Alert, SnoozeAlert } from "@/lib/contracts/console/alerts";
import { useToastAction } from "../forms/use-action";
import { Button } from "../ui/button";
import { ChoicesButton } from "../ui/choices-button";
import { toast } from "../ui/toast";

const DURATIONS = ["1h", "8h", "24h", "resolved"] as const satisfies readonly SnoozeAlert["for"][];

/** Who snoozed the alert and until when; nothing for an alert that is not snoozed. */
export function SnoozeNote({ alert: { snooze } }: { alert: Alert }) {
  const t = useTranslations("alerts.snooze");
  const format = useFormatter();
  if (snooze === null) return null;
  const { by, until } = snooze;
  return (
    <p className="flex items-center gap-1.5 text-sm text-ink-muted" suppressHydrationWarning>
      <BellOffIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      {until === null
        ? t("untilResolved", { by })
        : t("until", {
            by,
            when: format.dateTime(new Date(until), { dateStyle: "medium", timeStyle: "short" }),
          })}
    </p>
  );
}

/** Snoozes an open alert for a time, or ends its snooze. */
export function SnoozeButton({ alert, onChanged }: { alert: Alert; onChanged(): void }) {
  const t = useTranslations("alerts.snooze");
  const { reload } = useApiCache();
  const { isBusy, run } = useToastAction();

  const change = (call: () => Promise<unknown>, message: string) =>
    run(async () => {
      await call();
      toast.success(message);
      onChanged();
      await reload(api.summarizeAlerts);
    });
  const params = { id: alert.id };
  const snooze = (duration: SnoozeAlert["for"]) =>
    change(() => callApi(api.snoozeAlert, { params, body: { for: duration } }), t("done"));

  if (alert.snooze !== null)
    return (
      <Button
        variant="ghost"
        size="sm"
        isBusy={isBusy}
        onClick={() => void change(() => callApi(api.endAlertSnooze, { params }), t("ended"))}
      >
        {t("end")}
      </Button>
    );
  return (
    <ChoicesButton
      button={{ variant: "ghost", size: "sm", isBusy, children: t("action") }}
      choices={DURATIONS.map((id) => ({ id, label: t(id) }))}
      onPick={(duration) => void snooze(duration)}
    />
  );
}
