import Link from "next/link";
import { useTranslations } from "use-intl";
import type { CircuitHealth } from "@/lib/contracts/console/channels";
import type { OverviewChannel } from "@/lib/contracts/console/overview";
import { Button } from "../ui/button";
import { useRelativeTime } from "../ui/relative-time";
import { LineNotice } from "./line-notice";

interface Incident {
  channel: OverviewChannel;
  /** What of the channel it is about. */
  part: { kind: "whole" } | { kind: "key"; display: string } | { kind: "model"; model: string };
  health: CircuitHealth;
}

/** What is wrong with channels: a channel as a whole, else each of its keys and models with an open circuit. */
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

/** Channels in trouble, with what to do about each. */
export function Incidents({ channels }: { channels: readonly OverviewChannel[] }) {
  const t = useTranslations("overview.trouble");
  const words = useTranslations("channels");
  const tell = useRelativeTime();
  const titleOf = (part: Incident["part"], name: string, isOpen: boolean): string => {
    switch (part.kind) {
      case "whole":
        return t(isOpen ? "title" : "trial", { name });
      case "key":
        return t("key", { display: part.display, name });
      case "model":
        return t(isOpen ? "model" : "modelTrial", { model: part.model, name });
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
                  {t("look")}
                </Link>
              </Button>
            }
          >
            {health.opened_at === null
              ? words(`reason.${reason}`)
              : t("since", { reason: words(`reason.${reason}`), when: tell(health.opened_at) })}{" "}
            {words(`advice.${reason}`)}
          </LineNotice>
        );
      })}
    </>
  );
}
