"use client";

import { ArrowRightIcon } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { toast } from "sonner";
import { useSWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { placeOfAlert } from "@/lib/client/alerts";
import { api } from "@/lib/client/api";
import type { Alert } from "@/lib/contracts/console/alerts";
import { useErrorText } from "../forms/error-text";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { RelativeTime } from "../ui/relative-time";
import { Lamp } from "../ui/status-dot";
import { useAlertWords } from "./alert-text";

/** Kinds that stop no call. */
const WARNINGS: ReadonlySet<Alert["kind"]> = new Set(["budget_nearly_spent", "second_server"]);

/** One thing that is wrong: what, since when, what to do, and the way there. */
export function OpenAlert({ alert, onChanged }: { alert: Alert; onChanged(): void }) {
  const t = useTranslations("alerts");
  const words = useAlertWords();
  const facts = words.factsOf(alert);
  const delivery = words.deliveryOf(alert);
  const isFailed = alert.delivery.error !== null;
  return (
    <li className="grid gap-x-6 gap-y-4 p-5 md:grid-cols-[minmax(0,1fr)_auto] md:items-center">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
        <Lamp tone={WARNINGS.has(alert.kind) ? "warn" : "bad"} className="mt-2" />
        <h2 className="text-lg font-medium break-words">{words.titleOf(alert)}</h2>
        <div className="col-start-2 grid gap-1">
          <p className="flex flex-wrap gap-x-1.5 text-sm text-ink-faint">
            <RelativeTime at={alert.opened_at} say={(when) => t("since", { when })} />
            {facts ? (
              <>
                <span aria-hidden="true">·</span>
                <span className="tabular-nums">{facts}</span>
              </>
            ) : null}
          </p>
          <p className="max-w-prose text-ink-muted">{t(`todo.${alert.kind}`)}</p>
          {delivery ? (
            <p className={cn("text-sm", isFailed ? "text-bad" : "text-ink-faint")} suppressHydrationWarning>
              {delivery}
            </p>
          ) : null}
        </div>
      </div>
      <div className="flex flex-row-reverse flex-wrap items-center justify-end gap-2 pl-5 md:flex-row md:pl-0">
        <SeenButton alert={alert} onChanged={onChanged} />
        <Button asChild variant="outline" size="sm">
          <Link href={placeOfAlert(alert)}>
            {t(`go.${wayOf(alert)}`)}
            <ArrowRightIcon aria-hidden="true" />
          </Link>
        </Button>
      </div>
    </li>
  );
}

function wayOf({ kind, detail }: Alert) {
  if (kind === "budget_nearly_spent" || kind === "budget_spent")
    return detail.owner === "user" ? "user" : "key";
  return kind;
}

function SeenButton({ alert, onChanged }: { alert: Alert; onChanged(): void }) {
  const t = useTranslations("alerts");
  const tell = useErrorText();
  const { mutate } = useSWRConfig();
  const [isBusy, setBusy] = useState(false);
  if (alert.seen_at !== null)
    return (
      <span className="px-3 text-sm text-ink-faint">
        <RelativeTime at={alert.seen_at} say={(when) => t("isSeen", { when })} />
      </span>
    );
  const mark = async () => {
    setBusy(true);
    try {
      await api.post(`/api/alerts/${encodeURIComponent(alert.id)}/seen`);
      onChanged();
      await mutate("/api/alerts/summary");
    } catch (failure) {
      toast.error(tell(failure).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="ghost" size="sm" isBusy={isBusy} onClick={() => void mark()}>
      {t("seen")}
    </Button>
  );
}
