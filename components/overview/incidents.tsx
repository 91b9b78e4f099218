import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { CircuitHealth } from "@/lib/contracts/console/channels";
import type { OverviewChannel } from "@/lib/contracts/console/overview";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { useRelativeTime } from "../ui/relative-time";

/** A notice with title, text and action, in one line where they fit. */
export function LineNotice({
  tone,
  title,
  action,
  children,
}: {
  tone: "info" | "warn" | "bad";
  title: ReactNode;
  action: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Notice tone={tone}>
      <span className="-my-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="min-w-0 flex-1 basis-72 py-1">
          <span className="mr-1.5 font-medium text-ink">{title}</span> {children}
        </span>
        {action}
      </span>
    </Notice>
  );
}

interface Incident {
  channel: OverviewChannel;
  /** The affected part of the channel. */
  part: { kind: "whole" } | { kind: "key"; display: string } | { kind: "model"; model: string };
  health: CircuitHealth;
}

/** The whole channel if its circuit is not closed, else each of its upstream keys and models with a circuit incident. */
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

/** Open and half-open circuits, with the reason and what to do. */
export function Incidents({ channels }: { channels: readonly OverviewChannel[] }) {
  const t = useTranslations("overview.incident");
  const tChannels = useTranslations("channels");
  const relativeTime = useRelativeTime();
  const titleOf = (part: Incident["part"], name: string, isOpen: boolean): string => {
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
    <>
      {incidentsOf(channels).map(({ channel, part, health }) => {
        const reason = health.reason ?? "unknown";
        const name = channel.name ?? channel.id;
        const isOpen = health.state === "open";
        const title = titleOf(part, name, isOpen);
        return (
          <LineNotice
            key={`${channel.id} ${title}`}
            tone={isOpen ? "bad" : "warn"}
            title={title}
            action={
              <Button asChild variant="outline" size="sm">
                <Link prefetch={false} href={`/channels/${channel.id}`}>
                  {t("viewChannel")}
                </Link>
              </Button>
            }
          >
            {health.opened_at === null
              ? tChannels(`reason.${reason}`)
              : t("since", {
                  reason: tChannels(`reason.${reason}`),
                  when: relativeTime(health.opened_at),
                })}{" "}
            {tChannels(`advice.${reason}`)}
          </LineNotice>
        );
      })}
    </>
  );
}
