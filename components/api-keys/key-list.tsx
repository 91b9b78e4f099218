"use client";

import { useFormatter, useTranslations } from "use-intl";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import type { Viewer } from "@/lib/contracts/console/user";
import { isHigherRole } from "@/lib/contracts/rank";
import { KeyUsage } from "../charts/budget-usage";
import { type Column, RecordList } from "../shell/record-list";
import { ActionsButton } from "../ui/actions-button";
import { cn } from "../ui/class-names";
import { type Activities, KeyActivity, useKeyActivity } from "./key-activity";
import type { KeyAction } from "./key-menu";
import { KeyDates, KeyLastUsed, KeyState } from "./key-state";
import { higherAuthor } from "./limit-author";
import { type KeyModel, playgroundHref } from "./playground-link";

const loadMenu = () => import("./key-menu").then((one) => one.KeyMenu);

interface KeyListProps {
  keys: readonly ApiKey[];
  models: readonly KeyModel[];
  viewer: Viewer;
  /** Shows each key's owner. */
  showsOwners: boolean;
  onAction(action: KeyAction, key: ApiKey): void;
}

/** API keys as a table, or as cards on a phone. */
export function KeyList({ keys, models, viewer, showsOwners, onAction }: KeyListProps) {
  const activities = useKeyActivity(keys.map((key) => key.id));
  return (
    <RecordList
      items={keys}
      columns={useColumns(viewer, showsOwners, activities)}
      menu={(key) => (
        <ActionsButton
          name={key.name}
          load={loadMenu}
          menu={{
            apiKey: key,
            isOwn: key.owner_id === viewer.id,
            mayChange: mayChange(viewer, key),
            mayTry: playgroundHref(key, models) !== null,
            disabledBy: higherAuthor(key, "enabled", viewer.role),
            onAction: (action) => onAction(action, key),
          }}
        />
      )}
      cardTitle={(key) => (
        <span className="grid gap-0.5">
          <KeyName apiKey={key} />
          <code className="text-ink-muted">{key.display}</code>
        </span>
      )}
      cardFooter={(key) => <KeyDates apiKey={key} />}
    />
  );
}

function useColumns(viewer: Viewer, showsOwners: boolean, activities: Activities): Column<ApiKey>[] {
  const t = useTranslations("apiKeys.table");
  const owner: Column<ApiKey> = {
    name: "owner",
    heading: t("owner"),
    cell: (key) => <Owner of={key} viewer={viewer} />,
  };
  return [
    {
      name: "name",
      heading: t("name"),
      cell: (key) => (
        <span className="grid gap-0.5">
          <KeyName apiKey={key} />
          <KeyDates apiKey={key} />
        </span>
      ),
      isOnCard: () => false,
      className: "min-w-40",
    },
    ...(showsOwners ? [owner] : []),
    {
      name: "key",
      heading: t("key"),
      cell: (key) => <code className="whitespace-nowrap text-ink-muted">{key.display}</code>,
      isOnCard: () => false,
    },
    {
      name: "permissions",
      heading: t("permissions"),
      cell: (key) => <Operations of={key} />,
      // With the owners, a narrow window beside the sidebar has no room for this column.
      className: showsOwners ? "hidden xl:table-cell" : undefined,
    },
    {
      name: "spent",
      heading: t("spent"),
      cell: (key) => <KeyUsage apiKey={key} />,
      className: "min-w-24",
    },
    {
      name: "activity",
      heading: t("activity"),
      cell: (key) => <KeyActivity id={key.id} activities={activities} />,
      className: "hidden whitespace-nowrap xl:table-cell",
    },
    {
      name: "lastUsed",
      heading: t("lastUsed"),
      cell: (key) => <KeyLastUsed apiKey={key} viewer={viewer} />,
    },
  ];
}

/** Users may change their own keys and those of users with a lower role. */
function mayChange(viewer: Viewer, key: ApiKey): boolean {
  return key.owner_id === viewer.id || isHigherRole(viewer.role, key.owner.role);
}

function KeyName({ apiKey }: { apiKey: ApiKey }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className={cn("min-w-0 font-medium wrap-anywhere", !apiKey.enabled && "text-ink-muted")}>
        {apiKey.name}
      </span>
      <KeyState apiKey={apiKey} />
    </span>
  );
}

function Owner({ of: key, viewer }: { of: ApiKey; viewer: Viewer }) {
  const t = useTranslations("apiKeys.owner");
  if (key.owner_id === viewer.id) return <span className="text-ink-faint">{t("you")}</span>;
  return <span className="wrap-anywhere">{key.owner.username}</span>;
}

function Operations({ of: key }: { of: ApiKey }) {
  const t = useTranslations("apiKeys.operation");
  const format = useFormatter();
  const names = key.operations.map((operation) => t(operation));
  return <>{format.list(names, { type: "conjunction", style: "narrow" })}</>;
}
