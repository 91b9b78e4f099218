"use client";

import { LinkIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ApiPages } from "@/lib/client/use-api-pages";
import type { Invite } from "@/lib/contracts/console/invites";
import type { Viewer } from "@/lib/contracts/console/user";
import { isHigherRole } from "@/lib/contracts/rank";
import { LoadMore } from "../shell/list-body";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Facts } from "../ui/facts";
import { RelativeTime } from "../ui/relative-time";

/** One-time links that were not used yet; renders nothing without one. */
export function PendingLinks({
  list,
  viewer,
  onRevoke,
}: {
  list: ApiPages<Invite>;
  viewer: Viewer;
  onRevoke(link: Invite): void;
}) {
  const t = useTranslations("users.pendingLinks");
  if (!list.items?.length) return null;
  return (
    <section aria-labelledby="pending-links" className="mt-10 grid gap-3">
      <div className="grid gap-0.5">
        <h2 id="pending-links" className="text-lg">
          {t("title")}
        </h2>
        <p className="text-ink-muted">{t("text")}</p>
      </div>
      <ul className="divide-y rounded-md border bg-panel">
        {list.items.map((link) => (
          <PendingLink key={link.id} link={link} viewer={viewer} onRevoke={() => onRevoke(link)} />
        ))}
      </ul>
      <LoadMore list={list} />
    </section>
  );
}

/** What a one-time link is for, in words. */
export function useLinkName(): (link: Invite) => string {
  const t = useTranslations("users");
  return (link) => {
    if (link.kind === "password_reset") return t("pendingLinks.reset", { name: link.user?.username ?? "" });
    const role = t(`link.asRole.${link.role}`);
    return link.email
      ? t("pendingLinks.inviteFor", { email: link.email, role })
      : t("pendingLinks.invite", { role });
  };
}

function PendingLink({ link, viewer, onRevoke }: { link: Invite; viewer: Viewer; onRevoke(): void }) {
  const t = useTranslations("users.pendingLinks");
  const name = useLinkName()(link);
  const mayRevoke = isHigherRole(viewer.role, link.role);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <LinkIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
          {link.works ? null : (
            <Badge tone="neutral" title={t("invalidText")}>
              {t("invalid")}
            </Badge>
          )}
        </p>
        <Facts className="text-sm text-ink-muted">
          {link.made_by ? t("by", { name: link.made_by.username }) : null}
          <RelativeTime at={link.expires_at} phrase={(when) => t("expires", { when })} />
        </Facts>
      </div>
      <Button
        variant="outline"
        size="sm"
        disabled={!mayRevoke}
        title={mayRevoke ? undefined : t("higher")}
        aria-label={t("revokeNamed", { name })}
        onClick={onRevoke}
      >
        {t("revoke")}
      </Button>
    </li>
  );
}
