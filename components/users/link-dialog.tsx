"use client";

import { useFormatter, useTranslations } from "use-intl";
import type { InviteWithToken } from "@/lib/contracts/console/invites";
import { SecretDialog } from "../forms/secret-dialog";

/** The URL of a one-time link. The token is in the fragment, which is never sent to a server or logged. */
function oneTimeLinkUrl(kind: InviteWithToken["kind"], token: string): string {
  return `${window.location.origin}/${kind === "invite" ? "invite" : "reset"}#token=${token}`;
}

/** Shows a new one-time link, which is shown only once. */
export function LinkDialog({ link, onClose }: { link: InviteWithToken; onClose(): void }) {
  const t = useTranslations("users.link");
  const format = useFormatter();
  const until = format.dateTime(new Date(link.expires_at), {
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const purpose =
    link.kind === "invite"
      ? { title: t("inviteTitle"), text: t("inviteText", { role: t(`asRole.${link.role}`) }) }
      : { title: t("resetTitle", { name: link.user?.username ?? "" }), text: t("resetText") };
  const labels = {
    ...purpose,
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText", { time: until }),
    done: t("done"),
  };
  return (
    <SecretDialog
      secret={oneTimeLinkUrl(link.kind, link.token)}
      name="one-time-link"
      labels={labels}
      onClose={onClose}
    />
  );
}
