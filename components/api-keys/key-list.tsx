"use client";

import { useFormatter, useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { isHigherRole } from "@/lib/contracts/rank";
import { KeyUsage } from "../charts/budget-usage";
import { cn } from "../ui/class-names";
import { Skeleton } from "../ui/skeleton";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";
import type { KeyAction } from "./key-menu";
import { KeyMenuButton } from "./key-menu-button";
import { KeyDates, KeyLastUsed, KeyState } from "./key-state";
import { higherAuthor } from "./limit-author";

/** Who looks at the list. */
export interface Viewer {
  id: string;
  role: Role;
}

interface KeyListProps {
  keys: readonly ApiKey[];
  viewer: Viewer;
  /** Keys of several people stand here. */
  showsOwners: boolean;
  onAction(action: KeyAction, key: ApiKey): void;
}

/** Keys under each other: a table where there is room, a list on a phone. */
export function KeyList(props: KeyListProps) {
  return (
    <>
      <div className="hidden md:block">
        <KeyTable {...props} />
      </div>
      <ul className="divide-y rounded-md border bg-panel md:hidden">
        {props.keys.map((key) => (
          <KeyCard key={key.id} apiKey={key} {...props} />
        ))}
      </ul>
    </>
  );
}

function KeyTable({ keys, viewer, showsOwners, onAction }: KeyListProps) {
  return (
    <Table>
      <Headings showsOwners={showsOwners} />
      <TableBody>
        {keys.map((key) => (
          <TableRow key={key.id}>
            <TableCell>
              <span className="grid gap-0.5">
                <span className="flex flex-wrap items-center gap-2">
                  <span className={cn("font-medium break-words", !key.enabled && "text-ink-muted")}>
                    {key.name}
                  </span>
                  <KeyState apiKey={key} />
                </span>
                <KeyDates apiKey={key} />
              </span>
            </TableCell>
            {showsOwners ? (
              <TableCell>
                <Owner of={key} viewer={viewer} />
              </TableCell>
            ) : null}
            <TableCell>
              <code className="whitespace-nowrap text-ink-muted">{key.display}</code>
            </TableCell>
            <TableCell>
              <Operations of={key} />
            </TableCell>
            <TableCell>
              <KeyUsage apiKey={key} />
            </TableCell>
            <TableCell className="whitespace-nowrap">
              <KeyLastUsed apiKey={key} />
            </TableCell>
            <TableCell className="text-right">
              <KeyMenuButton
                apiKey={key}
                isOwn={key.owner_id === viewer.id}
                mayChange={mayChange(viewer, key)}
                disabledBy={higherAuthor(key, "enabled", viewer.role)}
                onAction={(action) => onAction(action, key)}
              />
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

/** One's own, or one of somebody whose role is lower. */
function mayChange(viewer: Viewer, key: ApiKey): boolean {
  return key.owner_id === viewer.id || isHigherRole(viewer.role, key.owner.role);
}

function Owner({ of: key, viewer }: { of: ApiKey; viewer: Viewer }) {
  const t = useTranslations("apiKeys.owner");
  if (key.owner_id === viewer.id) return <span className="text-ink-faint">{t("you")}</span>;
  return <span className="break-words">{key.owner.username}</span>;
}

function Operations({ of: key }: { of: ApiKey }) {
  const t = useTranslations("apiKeys.operation");
  const format = useFormatter();
  return (
    <>
      {format.list(
        key.operations.map((operation) => t(operation)),
        { type: "conjunction", style: "narrow" },
      )}
    </>
  );
}

function Headings({ showsOwners }: { showsOwners: boolean }) {
  const t = useTranslations("apiKeys.table");
  return (
    <TableHeader>
      <tr>
        <TableHead>{t("name")}</TableHead>
        {showsOwners ? <TableHead>{t("owner")}</TableHead> : null}
        <TableHead>{t("key")}</TableHead>
        <TableHead>{t("may")}</TableHead>
        <TableHead>{t("spent")}</TableHead>
        <TableHead>{t("used")}</TableHead>
        <TableHead>
          <span className="sr-only">{t("actions")}</span>
        </TableHead>
      </tr>
    </TableHeader>
  );
}

function KeyCard({ apiKey, viewer, showsOwners, onAction }: KeyListProps & { apiKey: ApiKey }) {
  const t = useTranslations("apiKeys");
  const isOwn = apiKey.owner_id === viewer.id;
  return (
    <li className="grid gap-3 p-4">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 font-medium break-words">{apiKey.name}</span>
            <KeyState apiKey={apiKey} />
          </span>
          <code className="text-ink-muted">{apiKey.display}</code>
        </div>
        <KeyMenuButton
          apiKey={apiKey}
          isOwn={isOwn}
          mayChange={mayChange(viewer, apiKey)}
          disabledBy={higherAuthor(apiKey, "enabled", viewer.role)}
          onAction={(action) => onAction(action, apiKey)}
        />
      </div>
      <dl className="grid grid-cols-[6rem_1fr] gap-x-3 gap-y-1.5 text-sm [&>dt]:text-ink-faint">
        {showsOwners ? (
          <>
            <dt>{t("table.owner")}</dt>
            <dd>
              <Owner of={apiKey} viewer={viewer} />
            </dd>
          </>
        ) : null}
        <dt>{t("table.may")}</dt>
        <dd>
          <Operations of={apiKey} />
        </dd>
        <dt>{t("table.spent")}</dt>
        <dd>
          <KeyUsage apiKey={apiKey} />
        </dd>
        <dt>{t("table.used")}</dt>
        <dd>
          <KeyLastUsed apiKey={apiKey} />
        </dd>
      </dl>
      <KeyDates apiKey={apiKey} />
    </li>
  );
}

/** The list before it has come. */
export function KeyListSkeleton() {
  return (
    <div aria-busy="true" className="divide-y rounded-md border bg-panel">
      {[0, 1, 2].map((row) => (
        <div key={row} className="flex items-center gap-8 p-4">
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="hidden h-4 w-32 md:block" />
          <Skeleton className="hidden h-4 w-24 md:block" />
        </div>
      ))}
    </div>
  );
}
