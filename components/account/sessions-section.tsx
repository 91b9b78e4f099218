"use client";

import { LaptopIcon, SmartphoneIcon, TerminalIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { Session } from "@/lib/contracts/console/sign-in";
import { CallError } from "../forms/call-error";
import { useWhileMounted } from "../forms/use-action";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Facts } from "../ui/facts";
import { lazyPart } from "../ui/lazy-part";
import { RelativeTime } from "../ui/relative-time";
import { Section } from "../ui/section";
import { Skeleton } from "../ui/skeleton";
import { toast } from "../ui/toast";

const ConfirmDialog = lazyPart(() => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog));

type Ending = Session | "others";

export function SessionsSection() {
  const t = useTranslations("account.sessions");
  const { data, error, mutate } = useApi(api.listSessions);
  const [ending, setEnding] = useState<Ending | null>(null);
  const others = data?.items.filter((session) => !session.current) ?? [];

  return (
    <Section title={t("title")} text={t("text")}>
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : !data ? (
        <Skeleton className="h-16.5 rounded-md" />
      ) : (
        <div className="grid gap-4">
          <ul className="divide-y rounded-md border bg-panel">
            {data.items.map((session) => (
              <SessionRow key={session.id} session={session} onEnd={() => setEnding(session)} />
            ))}
          </ul>
          {others.length > 0 ? (
            <Button variant="outline" className="w-fit" onClick={() => setEnding("others")}>
              {t("endOthers")}
            </Button>
          ) : (
            <p className="text-sm text-ink-muted">{t("noOthers")}</p>
          )}
        </div>
      )}
      {ending ? (
        <EndDialog
          ending={ending}
          others={others.length}
          onEnded={() => mutate()}
          onClose={() => setEnding(null)}
        />
      ) : null}
    </Section>
  );
}

/** Asks before it ends a session or all others. */
function EndDialog({
  ending,
  others,
  onEnded,
  onClose,
}: {
  ending: Ending;
  /** Number of other sessions. */
  others: number;
  onEnded(): Promise<unknown>;
  onClose(): void;
}) {
  const t = useTranslations("account.sessions");
  const deviceName = useDeviceName();
  const close = useWhileMounted(onClose);
  const end = async (ended: Promise<null>, message: string) => {
    await ended;
    await onEnded();
    close();
    toast.success(message);
  };
  if (ending === "others")
    return (
      <ConfirmDialog
        title={t("endOthersTitle", { count: others })}
        text={t("endOthersText")}
        action={t("endOthers")}
        onConfirm={() => end(callApi(api.endOtherSessions), t("othersEnded"))}
        onClose={onClose}
      />
    );
  const device = deviceName(ending.device);
  return (
    <ConfirmDialog
      title={t("endTitle", { device })}
      text={t("endText", { address: ending.address || t("unknownAddress") })}
      action={t("end")}
      onConfirm={() => end(callApi(api.endSession, { params: { id: ending.id } }), t("ended", { device }))}
      onClose={onClose}
    />
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd(): void }) {
  const t = useTranslations("account.sessions");
  const Icon = iconOf(session.device);
  const device = useDeviceName()(session.device);
  const address = session.address || t("unknownAddress");
  return (
    <li className="flex items-center gap-4 px-4 py-3">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-ink-faint" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{device}</span>
          {session.current ? <Badge tone="neutral">{t("current")}</Badge> : null}
        </p>
        <Facts className="text-sm text-ink-muted">
          <code className="break-all">{address}</code>
          {session.current ? (
            <RelativeTime at={session.created_at} phrase={(when) => t("since", { when })} />
          ) : (
            <RelativeTime at={session.last_seen_at} phrase={(when) => t("seen", { when })} />
          )}
        </Facts>
      </div>
      {session.current ? null : (
        <Button variant="outline" size="sm" onClick={onEnd} aria-label={t("endNamed", { device, address })}>
          {t("end")}
        </Button>
      )}
    </li>
  );
}

/** Translates the server's English device names, such as `Firefox on Linux`. */
function useDeviceName(): (device: string) => string {
  const t = useTranslations("account.sessions");
  return (device) => {
    const [, program = "", system = ""] = /^(.+) on (.+)$/.exec(device) ?? [];
    if (program === "A program") return t("programOn", { system });
    if (program) return t("browserOn", { browser: program, system });
    return device === "Unknown device" ? t("unknownDevice") : device;
  };
}

function iconOf(device: string) {
  if (/Android|iOS/.test(device)) return SmartphoneIcon;
  return /program|curl/.test(device) ? TerminalIcon : LaptopIcon;
}
