"use client";

import type { ReactNode } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { MODELS, modelPath } from "@/lib/client/models";
import type { Model, ModelList } from "@/lib/contracts/gateway/models";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { Button } from "../ui/button";
import { Dialog, DialogContent, DialogHeader, DialogTitle } from "../ui/dialog";
import { Sheet, SheetContent } from "../ui/sheet";
import { ModelForm } from "./model-form";
import { RoutePreview } from "./route-preview";

export type ModelDialog =
  | { kind: "create" }
  | { kind: "route"; name: string }
  | { kind: "edit" | "delete"; model: Model };

/** What is open over the models page; at most one thing is. */
export function ModelDialogs({
  dialog,
  priceListDate,
  onChanged,
  onEdit,
  onNewest,
  onClose,
}: {
  dialog: ModelDialog;
  priceListDate: string | null;
  /** Something on the list is no longer as it was read. */
  onChanged(): void;
  onEdit(name: string): void;
  /** The model that is being edited was changed elsewhere: the newest takes its place. */
  onNewest(model: Model): void;
  onClose(): void;
}) {
  const t = useTranslations("models");
  const done = (message: string) => {
    onChanged();
    onClose();
    toast.success(message);
  };
  switch (dialog.kind) {
    case "create":
      return (
        <FormDialog title={t("form.createTitle")} onClose={onClose}>
          <ModelForm
            before={null}
            priceListDate={priceListDate}
            onSave={async (request) => {
              const made = await api.post<Model>(MODELS, request);
              done(t("created", { name: made.name }));
            }}
            onCancel={onClose}
          />
        </FormDialog>
      );
    case "edit": {
      const { model } = dialog;
      return (
        <FormDialog title={t("form.editTitle", { name: model.name })} onClose={onClose}>
          <ModelForm
            before={model}
            priceListDate={priceListDate}
            onSave={async (request) => {
              const saved = await api.patch<Model>(modelPath(model.name), request);
              done(t("saved", { name: saved.name }));
            }}
            onStale={async () => {
              const { items } = await api.get<ModelList>(MODELS);
              const newest = items.find((one) => one.name === model.name) ?? model;
              onNewest(newest);
              onChanged();
              return newest;
            }}
            onCancel={onClose}
          />
        </FormDialog>
      );
    }
    case "delete": {
      const { name } = dialog.model;
      return (
        <ConfirmDialog
          title={t("delete.title", { name })}
          text={t("delete.text")}
          action={t("delete.action")}
          typed={{ name, label: t("delete.type", { name }) }}
          onConfirm={async () => {
            await api.delete(modelPath(name));
            done(t("deleted", { name }));
          }}
          onClose={onClose}
        />
      );
    }
    case "route":
      return (
        <Sheet open onOpenChange={(open) => (open ? undefined : onClose())}>
          <SheetContent
            title={t("route.title", { name: dialog.name })}
            className="p-6"
            // What is read comes first here; nothing in it asks to be pressed.
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              if (event.target instanceof HTMLElement) event.target.focus();
            }}
          >
            <div className="grid gap-6">
              <div className="grid gap-1 pr-8">
                <h2 className="text-lg break-all">
                  <code>{dialog.name}</code>
                </h2>
                <p className="text-ink-muted">{t("route.lead")}</p>
              </div>
              <RoutePreview name={dialog.name} />
              <Button variant="outline" className="w-fit" onClick={() => onEdit(dialog.name)}>
                {t("route.edit")}
              </Button>
            </div>
          </SheetContent>
        </Sheet>
      );
    default:
      return dialog satisfies never;
  }
}

function FormDialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined} className="max-w-xl">
        <DialogHeader>
          <DialogTitle className="break-words">{title}</DialogTitle>
        </DialogHeader>
        {children}
      </DialogContent>
    </Dialog>
  );
}
