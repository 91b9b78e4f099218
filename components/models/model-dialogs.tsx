"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { CreateModel, Model, UpdateModel } from "@/lib/contracts/console/models";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { FormDialog } from "../forms/form-dialog";
import { finishChange, useWhileMounted } from "../forms/use-action";
import { Button } from "../ui/button";
import { focusSelf } from "../ui/dialog";
import { Sheet, SheetContent } from "../ui/sheet";
import { ModelForm } from "./model-form";
import { RoutePreview } from "./route-preview";

export type ModelDialog =
  | { kind: "create" }
  | { kind: "route"; name: string }
  | { kind: "edit" | "delete"; model: Model };

interface ModelDialogsProps {
  dialog: ModelDialog;
  priceListDate: string | null;
  /** Called after a change: the list has to be reloaded. */
  onChanged(): void;
  /** Opens the form of the model whose route is shown; null if there is no such model. */
  onEdit: (() => void) | null;
  /** Called when the edited model was changed elsewhere: the dialog continues with this newest version. */
  onNewest(model: Model): void;
  onClose(): void;
}

/** Renders the open dialog of the models page. */
export function ModelDialogs({ dialog, ...rest }: ModelDialogsProps) {
  const props = {
    ...rest,
    onNewest: useWhileMounted(rest.onNewest),
    onClose: useWhileMounted(rest.onClose),
  };
  switch (dialog.kind) {
    case "create":
      return <ModelFormDialog before={null} {...props} />;
    case "edit":
      return <ModelFormDialog before={dialog.model} {...props} />;
    case "delete":
      return <DeleteDialog name={dialog.model.name} {...props} />;
    case "route":
      return <RouteSheet name={dialog.name} {...props} />;
    default:
      return dialog satisfies never;
  }
}

type DialogProps = Omit<ModelDialogsProps, "dialog">;

/** A request with a version changes the model `name`; any other creates a model. */
const saveModel = (request: CreateModel | UpdateModel, name = "") =>
  "version" in request
    ? callApi(api.updateModel, { params: { model: name }, body: request })
    : callApi(api.createModel, { body: request });

/** The form of a new model (`before` null) or of a saved one. */
function ModelFormDialog({ before, ...props }: DialogProps & { before: Model | null }) {
  const t = useTranslations("models");
  const named = useTranslations("common.named");
  const title = before ? named("edit", { name: before.name }) : t("form.createTitle");
  const reload = async (model: Model) => {
    const { items } = await callApi(api.listModels);
    const newest = items.find(({ name }) => name === model.name) ?? model;
    props.onNewest(newest);
    props.onChanged();
    return newest;
  };
  return (
    <FormDialog title={title} onClose={props.onClose}>
      <ModelForm
        before={before}
        priceListDate={props.priceListDate}
        onSave={async (request) => {
          const { name } = await saveModel(request, before?.name);
          finishChange(
            props.onChanged,
            props.onClose,
            before ? named("saved", { name }) : t("created", { name }),
          );
        }}
        onStale={before ? () => reload(before) : undefined}
        onCancel={props.onClose}
      />
    </FormDialog>
  );
}

function DeleteDialog({ name, ...props }: DialogProps & { name: string }) {
  const t = useTranslations("models");
  return (
    <ConfirmDialog
      title={t("delete.title", { name })}
      text={t("delete.text")}
      action={t("delete.action")}
      typedName={name}
      onConfirm={async () => {
        await callApi(api.deleteModel, { params: { model: name } });
        finishChange(props.onChanged, props.onClose, t("deleted", { name }));
      }}
      onClose={props.onClose}
    />
  );
}

function RouteSheet({ name, onEdit, onClose }: DialogProps & { name: string }) {
  const t = useTranslations("models.route");
  return (
    <Sheet open onOpenChange={(open) => (open ? undefined : onClose())}>
      <SheetContent
        title={t("title", { name })}
        className="p-6"
        // Not its first link: the content is meant to be read.
        onOpenAutoFocus={focusSelf}
      >
        <div className="grid gap-6">
          <div className="grid gap-1 pr-8">
            <h2 className="text-lg break-all">
              <code>{name}</code>
            </h2>
            <p className="text-ink-muted">{t("lead")}</p>
          </div>
          <RoutePreview name={name} />
          {onEdit ? (
            <Button variant="outline" className="w-fit" onClick={onEdit}>
              {t("edit")}
            </Button>
          ) : null}
        </div>
      </SheetContent>
    </Sheet>
  );
}
