"use client";

import { useTranslations } from "use-intl";
import type { ManagedUser, Viewer } from "@/lib/contracts/console/user";
import { type Column, RecordList } from "../shell/record-list";
import { ActionsButton } from "../ui/actions-button";
import { UserLastSeen, UserName, UserSpend, UserTwoFactor } from "./user-cells";
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
  const t = useTranslations("users");
  return (
    <RecordList
      items={users}
      columns={useColumns(viewer)}
      actionsHeading={t("table.actions")}
      menu={(user) => (
        <ActionsButton
          label={t("menu.label", { name: user.username })}
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
      cell: (user) => <Email user={user} />,
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
      cell: (user) => <UserLastSeen user={user} />,
      className: "whitespace-nowrap",
    },
    { name: "spent", heading: t("table.spent"), cell: (user) => <UserSpend user={user} /> },
  ];
}

function Email({ user }: { user: ManagedUser }) {
  return user.email ? (
    <span className="break-all text-ink-muted">{user.email}</span>
  ) : (
    <span className="text-ink-faint">–</span>
  );
}
