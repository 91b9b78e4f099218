"use client";

import { useTranslations } from "use-intl";
import type { Model } from "@/lib/contracts/console/models";
import { ActionsButton } from "../ui/actions-button";
import { cn } from "../ui/class-names";
import { Skeleton, SkeletonRows } from "../ui/skeleton";
import { SavingSwitch } from "../ui/switch";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";
import { ModelOptions, ModelPrice, ServedBy } from "./model-cells";
import { ModelDescription } from "./model-description";
import type { ModelAction } from "./model-menu";

const loadMenu = () => import("./model-menu").then((one) => one.ModelMenu);

function ModelMenuButton({ model, onAction }: Pick<ModelListProps, "onAction"> & { model: Model }) {
  const menu = { model, onAction: (action: ModelAction) => onAction(action, model) };
  return <ActionsButton name={model.name} load={loadMenu} menu={menu} />;
}

interface ModelListProps {
  models: readonly Model[];
  onAction(action: ModelAction, model: Model): void;
  onToggle(model: Model, enabled: boolean): Promise<void>;
}

/** Models by name: a table on wide screens, a list on narrow ones. */
export function ModelList(props: ModelListProps) {
  return (
    <>
      <div className="hidden xl:block">
        <ModelTable {...props} />
      </div>
      <ul className="divide-y rounded-md border bg-panel xl:hidden">
        {props.models.map((model) => (
          <ModelCard key={model.name} model={model} {...props} />
        ))}
      </ul>
    </>
  );
}

function ModelTable({ models, onAction, onToggle }: ModelListProps) {
  const t = useTranslations("models");
  const common = useTranslations("common");
  return (
    <Table>
      <TableHeader>
        <tr>
          <TableHead>{t("table.name")}</TableHead>
          <TableHead>{t("table.operation")}</TableHead>
          <TableHead>{t("table.served")}</TableHead>
          <TableHead>{t("table.price")}</TableHead>
          <TableHead>{t("table.options")}</TableHead>
          <TableHead>{t("table.enabled")}</TableHead>
          <TableHead>
            <span className="sr-only">{common("actions")}</span>
          </TableHead>
        </tr>
      </TableHeader>
      <TableBody>
        {models.map((model) => (
          <TableRow key={model.name}>
            <TableCell>
              <ModelName model={model} onAction={onAction} />
            </TableCell>
            <TableCell>{t(`operation.${model.operation}`)}</TableCell>
            <TableCell className="max-w-72">
              <ServedBy model={model} />
            </TableCell>
            <TableCell>
              <ModelPrice model={model} />
            </TableCell>
            <TableCell className="whitespace-nowrap">
              <ModelOptions model={model} />
            </TableCell>
            <TableCell className="w-0">
              <ModelSwitch model={model} onToggle={onToggle} />
            </TableCell>
            <TableCell className="w-0 pl-0 text-right">
              <ModelMenuButton model={model} onAction={onAction} />
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

function ModelName({ model, onAction }: { model: Model; onAction: ModelListProps["onAction"] }) {
  const t = useTranslations("models");
  return (
    <span className="grid min-w-0 justify-items-start gap-0.5">
      <button
        type="button"
        title={t("menu.route")}
        onClick={() => onAction("route", model)}
        className={cn(
          "rounded-sm text-left underline-offset-4 hover:underline",
          !model.enabled && "text-ink-muted",
        )}
      >
        <code className="break-all">{model.name}</code>
      </button>
      <ModelDescription model={model} />
      {model.aliases.length > 0 ? (
        <span className="text-sm text-ink-muted">
          {t("aliases")} <code className="break-all">{model.aliases.join(", ")}</code>
        </span>
      ) : null}
    </span>
  );
}

function ModelSwitch({ model, onToggle }: { model: Model; onToggle: ModelListProps["onToggle"] }) {
  const t = useTranslations("models");
  return (
    <SavingSwitch
      aria-label={t("turnOn", { name: model.name })}
      checked={model.enabled}
      onToggle={(checked) => onToggle(model, checked)}
    />
  );
}

function ModelCard({ model, onAction, onToggle }: ModelListProps & { model: Model }) {
  const t = useTranslations("models");
  return (
    <li className="grid gap-3 p-4">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1 pt-1">
          <ModelName model={model} onAction={onAction} />
        </div>
        <div className="flex items-center gap-1">
          <ModelSwitch model={model} onToggle={onToggle} />
          <ModelMenuButton model={model} onAction={onAction} />
        </div>
      </div>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm [&>dt]:text-ink-faint">
        <dt>{t("table.operation")}</dt>
        <dd>{t(`operation.${model.operation}`)}</dd>
        <dt>{t("table.served")}</dt>
        <dd>
          <ServedBy model={model} />
        </dd>
        <dt>{t("table.price")}</dt>
        <dd>
          <ModelPrice model={model} />
        </dd>
      </dl>
    </li>
  );
}

export function ModelListSkeleton() {
  return (
    <SkeletonRows className="flex items-center gap-8 p-4">
      <Skeleton className="h-4 w-40" />
      <Skeleton className="hidden h-4 flex-1 lg:block" />
      <Skeleton className="ml-auto h-5 w-9 rounded-full" />
    </SkeletonRows>
  );
}
