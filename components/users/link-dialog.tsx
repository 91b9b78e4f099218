"use client";

import { useFormatter, useTranslations } from "use-intl";
import { oneTimeLinkUrl } from "@/components/users/api";
import type { InviteWithToken } from "@/lib/contracts/console/invites";
import { SecretDialog } from "../forms/secret-dialog";

/** A new one-time link, shown for the only time. */
export function LinkDialog({ made, onClose }: { made: InviteWithToken; onClose(): void }) {
  const t = useTranslations("users.link");
  const format = useFormatter();
  const until = format.dateTime(new Date(made.expires_at), {
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const purpose =
    made.kind === "invite"
      ? { title: t("inviteTitle"), text: t("inviteText", { role: t(`asRole.${made.role}`) }) }
      : { title: t("resetTitle", { name: made.user?.username ?? "" }), text: t("resetText") };
  const words = {
    ...purpose,
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText", { time: until }),
    done: t("done"),
  };
  return (
    <SecretDialog
      secret={oneTimeLinkUrl(made.kind, made.token)}
      name="one-time-link"
      words={words}
      onClose={onClose}
    />
  );
}
