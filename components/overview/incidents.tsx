import { ChevronDownIcon } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { CircuitHealth } from "@/lib/contracts/console/channels";
import type { OverviewChannel } from "@/lib/contracts/console/overview";
import { StatusDot } from "../ui/badge";
import { Button } from "../ui/button";
import { RelativeTime } from "../ui/relative-time";
import { SentenceGap } from "../ui/sentence-gap";

interface Incident {
  channel: OverviewChannel;
  /** The affected part of the channel. */
  part: { kind: "whole" } | { kind: "key"; display: string } | { kind: "model"; model: string };
  health: CircuitHealth;
}

/** Per channel: the whole channel if its circuit is not closed, else each key and model whose circuit is not closed. */
function incidentsOf(channels: readonly OverviewChannel[]): Incident[] {
  return channels.flatMap((channel): Incident[] => {
    const { enabled, health, broken_keys: keys, broken_models: models } = channel;
    if (!enabled || health === null) return [];
    if (health.state !== "closed") return [{ channel, part: { kind: "whole" }, health }];
    return [
      ...keys.map(
        ({ display, ...one }): Incident => ({ channel, part: { kind: "key", display }, health: one }),
      ),
      ...models.map(
        ({ name, ...one }): Incident => ({ channel, part: { kind: "model", model: name }, health: one }),
      ),
    ];
  });
}

/** Incidents and open alerts as one panel: a line that counts them, and each with its reason and what to do. */
export function Incidents({
  channels,
  openAlerts,
}: {
  channels: readonly OverviewChannel[];
  openAlerts: number;
}) {
  const t = useTranslations("overview.incident");
  const tAlerts = useTranslations("overview.alerts");
  const incidents = incidentsOf(channels);
  if (incidents.length === 0 && openAlerts === 0) return null;
  const down = incidents.filter((one) => one.health.state === "open").length;
  const recovering = incidents.length - down;
  const summary = [
    down > 0 ? t("down", { count: down }) : null,
    recovering > 0 ? t("recovering", { count: recovering }) : null,
    openAlerts > 0 ? tAlerts("title", { count: openAlerts }) : null,
  ].filter((part) => part !== null);
  return (
    <details className="group rounded-md border bg-panel">
      <summary className="flex list-none items-center gap-3 px-4 py-2.5 sm:px-5 [&::-webkit-details-marker]:hidden">
        <StatusDot tone={down > 0 ? "bad" : "warn"} />
        <h2 className="shrink-0 text-base font-medium">{t("title")}</h2>
        <span className="tabular min-w-0 flex-1 truncate text-ink-muted" title={summary.join(" · ")}>
          {summary.join(" · ")}
        </span>
        <ChevronDownIcon
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-180"
        />
      </summary>
      <ul className="divide-y border-t">
        {incidents.map((incident) => (
          <IncidentRow
            key={`${incident.channel.id} ${Object.values(incident.part).join(" ")}`}
            incident={incident}
          />
        ))}
        {openAlerts > 0 ? (
          <Row
            tone="warn"
            title={tAlerts("title", { count: openAlerts })}
            href="/alerts"
            action={tAlerts("view")}
          />
        ) : null}
      </ul>
    </details>
  );
}

function IncidentRow({ incident: { channel, part, health } }: { incident: Incident }) {
  const t = useTranslations("overview.incident");
  const tChannels = useTranslations("channels");
  const reason = health.reason ?? "unknown";
  const cause = tChannels(`reason.${reason}`);
  const name = channel.name ?? channel.id;
  const isOpen = health.state === "open";
  const titleOf = (): string => {
    switch (part.kind) {
      case "whole":
        return t(isOpen ? "channelDown" : "channelRecovering", { name });
      case "key":
        return t(isOpen ? "keyDown" : "keyRecovering", { display: part.display, name });
      case "model":
        return t(isOpen ? "modelDown" : "modelRecovering", { model: part.model, name });
      default:
        return part satisfies never;
    }
  };
  return (
    <Row
      tone={isOpen ? "bad" : "warn"}
      title={titleOf()}
      href={`/channels/${channel.id}`}
      action={t("viewChannel")}
    >
      {health.opened_at === null ? (
        cause
      ) : (
        <RelativeTime at={health.opened_at} phrase={(when) => t("since", { reason: cause, when })} />
      )}
      <SentenceGap />
      {isOpen ? tChannels(`advice.${reason}`) : t("probe")}
    </Row>
  );
}

function Row({
  tone,
  title,
  href,
  action,
  children,
}: {
  tone: "bad" | "warn";
  title: string;
  href: string;
  action: string;
  children?: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2.5 sm:px-5">
      <span className="flex min-w-0 flex-1 basis-72 items-baseline gap-3">
        <StatusDot tone={tone} />
        <span className="min-w-0 text-ink-muted">
          <span className="mr-1.5 font-medium text-ink">{title}</span> {children}
        </span>
      </span>
      <Button asChild variant="outline" size="sm" className="max-sm:ml-5">
        <Link prefetch={false} href={href}>
          {action}
        </Link>
      </Button>
    </li>
  );
}
