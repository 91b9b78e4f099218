"use client";

import { useTranslations } from "use-intl";
import type { ManagedUser, Viewer } from "@/lib/contracts/console/user";
import { BudgetBar } from "../charts/budget-usage";
import { useAmounts } from "../charts/use-amounts";
import { clockTime, useCountdown } from "../forms/countdown";
import { type Column, RecordList } from "../shell/record-list";
import { ActionsButton } from "../ui/actions-button";
import { Badge } from "../ui/badge";
import { cn } from "../ui/class-names";
import { RelativeTime } from "../ui/relative-time";
import { useIsBrowser } from "../ui/use-is-browser";
import type { UserAction } from "./user-menu";

const loadMenu = () => import("./user-menu").then((one) => one.UserMenu);

/** Users as a table, or as cards on a phone. */
export function UserList({
  users,
  viewer,
  onAction,
}: {
  users: readonly ManagedUser[];
  viewer: Viewer;
  onAction(action: UserAction, user: ManagedUser): void;
}) {
  return (
    <RecordList
      items={users}
      columns={useColumns(viewer)}
      menu={(user) => (
        <ActionsButton
          name={user.username}
          load={loadMenu}
          menu={{ user, viewer, onAction: (action) => onAction(action, user) }}
        />
      )}
      cardTitle={(user) => <UserName user={user} isSelf={user.id === viewer.id} />}
    />
  );
}

function useColumns(viewer: Viewer): Column<ManagedUser>[] {
  const t = useTranslations("users");
  return [
    {
      name: "name",
      heading: t("table.name"),
      cell: (user) => <UserName user={user} isSelf={user.id === viewer.id} />,
      isOnCard: () => false,
    },
    {
      name: "email",
      heading: t("table.email"),
      cell: ({ email }) =>
        email ? (
          <span className="break-all text-ink-muted">{email}</span>
        ) : (
          <span className="text-ink-faint">–</span>
        ),
      className: "hidden xl:table-cell",
      isOnCard: (user) => user.email !== null,
    },
    {
      name: "role",
      heading: t("table.role"),
      cell: (user) => t(`role.${user.role}`),
      className: "whitespace-nowrap",
    },
    {
      name: "twoFactor",
      heading: t("table.twoFactor"),
      cell: (user) => <UserTwoFactor user={user} />,
    },
    {
      name: "lastSeen",
      heading: t("table.lastSeen"),
      cell: ({ last_seen_at: at }) =>
        at ? <RelativeTime at={at} /> : <span className="text-ink-faint">{t("neverSeen")}</span>,
      className: "whitespace-nowrap",
    },
    { name: "spent", heading: t("table.spent"), cell: (user) => <UserSpend user={user} /> },
  ];
}

/** Display name and username, with badges for the viewer and for a disabled or locked user. */
function UserName({ user, isSelf }: { user: ManagedUser; isSelf: boolean }) {
  const t = useTranslations("users");
  // The server does not know the browser's clock.
  const isBrowser = useIsBrowser();
  return (
    <span className="grid min-w-0 gap-0.5">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className={cn("min-w-0 font-medium wrap-anywhere", !user.enabled && "text-ink-muted")}>
          {user.display_name}
        </span>
        {isSelf ? <Badge tone="outline">{t("you")}</Badge> : null}
        {user.enabled ? null : <Badge tone="neutral">{t("status.disabled")}</Badge>}
        {user.locked_until && isBrowser ? <LockedBadge until={user.locked_until} /> : null}
      </span>
      <code className="break-all text-ink-faint">{user.username}</code>
    </span>
  );
}

/** The time until the user is unlocked; renders nothing after that. */
function LockedBadge({ until }: { until: string }) {
  const t = useTranslations("users.status");
  const left = useCountdown(Date.parse(until));
  return left > 0 ? <Badge tone="warn">{t("locked", { time: clockTime(left) })}</Badge> : null;
}

/** Whether 2FA is on; highlighted if it is off for an owner or administrator. */
function UserTwoFactor({ user }: { user: ManagedUser }) {
  const t = useTranslations("users.twoFactor");
  if (user.two_factor_enabled) return <span className="text-ink-muted">{t("on")}</span>;
  return user.role === "member" ? (
    <span className="text-ink-faint">{t("off")}</span>
  ) : (
    <Badge tone="warn">{t("off")}</Badge>
  );
}

/** The spend of this month, or of the budget that is closest to its limit. */
function UserSpend({ user }: { user: ManagedUser }) {
  const t = useTranslations("common.budget");
  const { money } = useAmounts();
  return (
    <BudgetBar of={user}>
      <span className="tabular whitespace-nowrap text-ink-muted">
        {money(Number(user.spent.monthly_usd))} {t("monthly_usd")}
      </span>
    </BudgetBar>
  );
}
