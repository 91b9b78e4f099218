"use client";

import { useTranslations } from "use-intl";
import type { ManagedUser } from "@/lib/contracts/console/user";
import { Skeleton } from "../ui/skeleton";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";
import { UserTwoFactor, UserName, UserLastSeen, UserSpend } from "./user-cells";
import type { UserAction, Viewer } from "./user-menu";
import { UserMenuButton } from "./user-menu-button";

interface UserListProps {
  users: readonly ManagedUser[];
  viewer: Viewer;
  onAction(action: UserAction, user: ManagedUser): void;
}

/** Users under each other: a table where there is room, a list on a phone. */
export function UserList(props: UserListProps) {
  return (
    <>
      <div className="hidden md:block">
        <UserTable {...props} />
      </div>
      <ul className="divide-y rounded-md border bg-panel md:hidden">
        {props.users.map((user) => (
          <UserCard key={user.id} user={user} {...props} />
        ))}
      </ul>
    </>
  );
}

function UserTable({ users, viewer, onAction }: UserListProps) {
  const t = useTranslations("users");
  return (
    <Table>
      <Headings />
      <TableBody>
        {users.map((user) => (
          <TableRow key={user.id}>
            <TableCell>
              <UserName user={user} isSelf={user.id === viewer.id} />
            </TableCell>
            <TableCell className="hidden xl:table-cell">
              <Email user={user} />
            </TableCell>
            <TableCell className="whitespace-nowrap">{t(`role.${user.role}`)}</TableCell>
            <TableCell>
              <UserTwoFactor user={user} />
            </TableCell>
            <TableCell className="whitespace-nowrap">
              <UserLastSeen user={user} />
            </TableCell>
            <TableCell>
              <UserSpend user={user} />
            </TableCell>
            <TableCell className="text-right">
              <UserMenuButton user={user} viewer={viewer} onAction={(action) => onAction(action, user)} />
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

function Email({ user }: { user: ManagedUser }) {
  return user.email ? (
    <span className="break-all text-ink-muted">{user.email}</span>
  ) : (
    <span className="text-ink-faint">–</span>
  );
}

function Headings() {
  const t = useTranslations("users.table");
  return (
    <TableHeader>
      <tr>
        <TableHead>{t("name")}</TableHead>
        <TableHead className="hidden xl:table-cell">{t("email")}</TableHead>
        <TableHead>{t("role")}</TableHead>
        <TableHead>{t("twoFactor")}</TableHead>
        <TableHead>{t("lastSeen")}</TableHead>
        <TableHead>{t("spent")}</TableHead>
        <TableHead>
          <span className="sr-only">{t("actions")}</span>
        </TableHead>
      </tr>
    </TableHeader>
  );
}

function UserCard({ user, viewer, onAction }: UserListProps & { user: ManagedUser }) {
  const t = useTranslations("users");
  return (
    <li className="grid gap-3 p-4">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <UserName user={user} isSelf={user.id === viewer.id} />
        </div>
        <UserMenuButton user={user} viewer={viewer} onAction={(action) => onAction(action, user)} />
      </div>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm [&>dt]:text-ink-faint">
        {user.email ? (
          <>
            <dt>{t("table.email")}</dt>
            <dd>
              <Email user={user} />
            </dd>
          </>
        ) : null}
        <dt>{t("table.role")}</dt>
        <dd>{t(`role.${user.role}`)}</dd>
        <dt>{t("table.twoFactor")}</dt>
        <dd>
          <UserTwoFactor user={user} />
        </dd>
        <dt>{t("table.lastSeen")}</dt>
        <dd>
          <UserLastSeen user={user} />
        </dd>
        <dt>{t("table.spent")}</dt>
        <dd>
          <UserSpend user={user} />
        </dd>
      </dl>
    </li>
  );
}

/** The list before it has come. */
export function UserListSkeleton() {
  return (
    <div aria-busy="true" className="divide-y rounded-md border bg-panel">
      {[0, 1, 2].map((row) => (
        <div key={row} className="flex items-center gap-8 p-4">
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="hidden h-4 w-24 md:block" />
          <Skeleton className="hidden h-4 w-24 md:block" />
        </div>
      ))}
    </div>
  );
}
