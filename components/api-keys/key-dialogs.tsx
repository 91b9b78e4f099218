"use client";

import type { ReactNode } from "react";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import type { ApiKey, ApiKeyWithSecret } from "@/lib/contracts/console/api-keys";
import type { Role } from "@/lib/contracts/console/user";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { Dialog, DialogContent, DialogHeader, DialogTitle } from "../ui/dialog";
import { KeyForm } from "./key-form";
import { RevealDialog } from "./reveal-dialog";
import { RotateDialog } from "./rotate-dialog";

export type KeyDialog =
  | { kind: "create" }
  | { kind: "reveal"; made: ApiKeyWithSecret; graceHours: number | null }
  | { kind: "edit" | "rotate" | "disable" | "delete"; key: ApiKey };

/** The dialog that is open on the keys page; at most one is. */
export function KeyDialogs({
  dialog,
  viewerRole,
  hidesBudgets,
  modelNames,
  onChanged,
  onDialog,
}: {
  dialog: KeyDialog;
  viewerRole: Role;
  hidesBudgets: boolean;
  modelNames: readonly string[];
  /** Something on the list is no longer as it was read. */
  onChanged(): void;
  onDialog(next: KeyDialog | null): void;
}) {
  const t = useTranslations("apiKeys");
  // A member's key never manages.
  const mayManage = viewerRole !== "member";
  const close = () => onDialog(null);
  const done = (message: string) => {
    onChanged();
    close();
    toast.success(message);
  };
  const pathOf = (key: ApiKey) => `/api/keys/${encodeURIComponent(key.id)}`;

  switch (dialog.kind) {
    case "create":
      return (
        <FormDialog title={t("form.createTitle")} onClose={close}>
          <KeyForm
            before={null}
            viewerRole={viewerRole}
            mayManage={mayManage}
            hidesBudgets={hidesBudgets}
            modelNames={modelNames}
            onSave={async (request) => {
              const made = await api.post<ApiKeyWithSecret>("/api/keys", request);
              onChanged();
              onDialog({ kind: "reveal", made, graceHours: null });
            }}
            onCancel={close}
          />
        </FormDialog>
      );
    case "reveal":
      return <RevealDialog made={dialog.made} graceHours={dialog.graceHours} onClose={close} />;
    case "edit": {
      const { key } = dialog;
      return (
        <FormDialog title={t("form.editTitle", { name: key.name })} onClose={close}>
          <KeyForm
            before={key}
            viewerRole={viewerRole}
            mayManage={mayManage && key.owner.role !== "member"}
            hidesBudgets={hidesBudgets}
            modelNames={modelNames}
            onSave={async (request) => {
              const saved = await api.patch<ApiKey>(pathOf(key), { ...request, version: key.version });
              done(t("saved", { name: saved.name }));
            }}
            onStale={async () => {
              const newest = await api.get<ApiKey>(pathOf(key));
              onDialog({ kind: "edit", key: newest });
              onChanged();
              return newest;
            }}
            onCancel={close}
          />
        </FormDialog>
      );
    }
    case "rotate":
      return (
        <RotateDialog
          name={dialog.key.name}
          onRotate={async (graceHours) => {
            const made = await api.post<ApiKeyWithSecret>(`${pathOf(dialog.key)}/rotate`, {
              grace_hours: graceHours,
            });
            onChanged();
            onDialog({ kind: "reveal", made, graceHours });
          }}
          onClose={close}
        />
      );
    case "disable": {
      const { key } = dialog;
      return (
        <ConfirmDialog
          title={t("disable.title", { name: key.name })}
          text={t("disable.text")}
          action={t("disable.action")}
          onConfirm={async () => {
            await api.patch(pathOf(key), { enabled: false, version: key.version }).catch(async (failure) => {
              // Whoever presses this wants it off, whatever else was changed meanwhile.
              if (!isApiError(failure, "conflict")) throw failure;
              const { version } = await api.get<ApiKey>(pathOf(key));
              await api.patch(pathOf(key), { enabled: false, version });
            });
            done(t("disabled", { name: key.name }));
          }}
          onClose={close}
        />
      );
    }
    case "delete": {
      const { key } = dialog;
      return (
        <ConfirmDialog
          title={t("delete.title", { name: key.name })}
          text={t("delete.text")}
          action={t("delete.action")}
          typed={{ name: key.name, label: t("delete.type", { name: key.name }) }}
          onConfirm={async () => {
            await api.delete(pathOf(key));
            done(t("deleted", { name: key.name }));
          }}
          onClose={close}
        />
      );
    }
    default:
      return dialog satisfies never;
  }
}

function FormDialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle className="break-words">{title}</DialogTitle>
        </DialogHeader>
        {children}
      </DialogContent>
    </Dialog>
  );
}
