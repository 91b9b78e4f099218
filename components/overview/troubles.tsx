import Link from "next/link";
import { useTranslations } from "use-intl";
import type { CircuitHealth } from "@/lib/contracts/channels";
import type { OverviewChannel } from "@/lib/contracts/overview";
import { Button } from "../ui/button";
import { useRelativeTime } from "../ui/relative-time";
import { LineNotice } from "./line-notice";

interface Trouble {
  channel: OverviewChannel;
  /** Of one key; null: the whole channel. */
  display: string | null;
  health: CircuitHealth;
}

/** What is wrong with channels: a channel as a whole, else each of its keys that is passed over. */
function troublesOf(channels: readonly OverviewChannel[]): Trouble[] {
  return channels.flatMap((channel): Trouble[] => {
    const { enabled, health, broken_keys: keys } = channel;
    if (!enabled || health === null) return [];
    if (health.state !== "closed") return [{ channel, display: null, health }];
    return keys.map(({ display, ...one }) => ({ channel, display, health: one }));
  });
}

/** Channels in trouble, with what to do about each. */
export function Troubles({ channels }: { channels: readonly OverviewChannel[] }) {
  const t = useTranslations("overview.trouble");
  const words = useTranslations("channels");
  const tell = useRelativeTime();
  return (
    <>
      {troublesOf(channels).map(({ channel, display, health }) => {
        const reason = health.reason ?? "unknown";
        const name = channel.name ?? channel.id;
        const title =
          display !== null
            ? t("key", { display, name })
            : health.state === "open"
              ? t("title", { name })
              : t("trial", { name });
        return (
          <LineNotice
            key={`${channel.id} ${display}`}
            tone={health.state === "open" ? "bad" : "warn"}
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
