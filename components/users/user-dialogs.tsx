"use client";

import { useFormatter, useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { awaitSecret } from "@/lib/client/unsaved";
import type { Invite, InviteWithToken } from "@/lib/contracts/console/invites";
import type { CreateUser, ManagedUser, UpdateUser, Viewer } from "@/lib/contracts/console/user";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { FormDialog } from "../forms/form-dialog";
import { SecretDialog } from "../forms/secret-dialog";
import { changeNewest, finishChange, useWhileMounted } from "../forms/use-action";
import { InviteForm } from "./invite-form";
import { useLinkName } from "./pending-links";
import { UserForm } from "./user-form";

type FormState = { kind: "invite" } | { kind: "create" } | { kind: "edit"; user: ManagedUser };
type ConfirmState =
  | { kind: "revoke"; link: Invite }
  | { kind: "password" | "twoFactor" | "sessions" | "disable" | "delete"; user: ManagedUser };

export type UserDialog = FormState | ConfirmState;

interface DialogProps<State extends UserDialog> {
  dialog: State;
  viewer: Viewer;
  hidesBudgets: boolean;
  /** A user or a link was created, changed or deleted. */
  onChanged(): void;
  /** Called with a new one-time link, even if its dialog was closed meanwhile. */
  onLink(link: InviteWithToken): void;
  onDialog(next: UserDialog | null): void;
}

/**
 * The open dialog of the users page, and above it the one-time link to show. Both are in one lazy part, so that the
 * link is on the page before its form is removed: a page without unsaved input can be reloaded at any time.
 */
export function UserDialogs({
  dialog,
  link,
  onLinkClose,
  ...props
}: Omit<DialogProps<UserDialog>, "dialog"> & {
  dialog: UserDialog | null;
  link: InviteWithToken | undefined;
  onLinkClose(): void;
}) {
  return (
    <>
      {dialog ? <OpenDialog dialog={dialog} {...props} /> : null}
      {link ? <LinkDialog key={link.id} link={link} onClose={onLinkClose} /> : null}
    </>
  );
}

function OpenDialog({ dialog, ...rest }: DialogProps<UserDialog>) {
  const props = { ...rest, onDialog: useWhileMounted(rest.onDialog) };
  switch (dialog.kind) {
    case "invite":
    case "create":
    case "edit":
      return <FormDialogs dialog={dialog} {...props} />;
    default:
      return <ConfirmDialogs dialog={dialog} {...props} />;
  }
}

/** A request with a version changes the user `id`; any other creates a user. */
const saveUser = (request: CreateUser | UpdateUser, id = "") =>
  "version" in request
    ? callApi(api.updateUser, { params: { id }, body: request })
    : callApi(api.createUser, { body: request });

function FormDialogs({ dialog, viewer, hidesBudgets, onChanged, onLink, onDialog }: DialogProps<FormState>) {
  const t = useTranslations("users");
  const named = useTranslations("common.named");
  const close = () => onDialog(null);
  const done = (message: string) => finishChange(onChanged, close, message);
  if (dialog.kind === "invite") {
    return (
      <FormDialog title={t("invite")} text={t("inviteForm.text")} onClose={close}>
        <InviteForm
          viewerRole={viewer.role}
          onInvite={async (request) => {
            const link = await awaitSecret(t("invite"), callApi(api.createInvite, { body: request }));
            onChanged();
            close();
            onLink(link);
          }}
          onCancel={close}
        />
      </FormDialog>
    );
  }
  const before = dialog.kind === "edit" ? dialog.user : null;
  const reload = async (id: string) => {
    const user = await callApi(api.getUser, { params: { id } });
    onDialog({ kind: "edit", user });
    onChanged();
    return user;
  };
  return (
    <FormDialog
      title={before ? named("edit", { name: before.username }) : t("create")}
      text={before ? undefined : t("form.createText")}
      onClose={close}
    >
      <UserForm
        before={before}
        viewerRole={viewer.role}
        hidesBudgets={hidesBudgets}
        onSave={async (request) => {
          const { username: name, role } = await saveUser(request, before?.id);
          if (!before) done(t("toast.created", { name }));
          else done(role === before.role ? named("saved", { name }) : t("toast.savedRole", { name }));
        }}
        onStale={before ? () => reload(before.id) : undefined}
        onCancel={close}
      />
    </FormDialog>
  );
}

function ConfirmDialogs({ dialog, onChanged, onLink, onDialog }: DialogProps<ConfirmState>) {
  const t = useTranslations("users");
  const named = useTranslations("common.named");
  const linkName = useLinkName();
  const close = () => onDialog(null);
  const done = (message: string) => finishChange(onChanged, close, message);
  const name = dialog.kind === "revoke" ? linkName(dialog.link) : dialog.user.username;
  const confirm = async () => {
    if (dialog.kind === "revoke") {
      await callApi(api.revokeInvite, { params: { id: dialog.link.id } });
      return done(t("toast.revoked"));
    }
    const params = { id: dialog.user.id };
    switch (dialog.kind) {
      case "password": {
        const link = await awaitSecret(
          t("confirm.password.title", { name }),
          callApi(api.createPasswordReset, { params }),
        );
        onChanged();
        close();
        return onLink(link);
      }
      case "twoFactor":
        await callApi(api.resetTwoFactor, { params });
        return done(t("toast.twoFactor", { name }));
      case "sessions":
        await callApi(api.endUserSessions, { params });
        return done(t("toast.sessions", { name }));
      case "disable":
        // Also after a version conflict: the user's access must be stopped.
        await changeNewest(
          dialog.user,
          () => callApi(api.getUser, { params }),
          ({ version }) => callApi(api.updateUser, { params, body: { enabled: false, version } }),
        );
        return done(named("disabled", { name }));
      case "delete":
        await callApi(api.deleteUser, { params });
        return done(named("deleted", { name }));
      default:
        return dialog satisfies never;
    }
  };
  return (
    <ConfirmDialog
      title={t(`confirm.${dialog.kind}.title`, { name })}
      text={t(`confirm.${dialog.kind}.text`, { name })}
      action={t(`confirm.${dialog.kind}.action`)}
      isDanger={dialog.kind !== "password"}
      typedName={dialog.kind === "delete" ? name : undefined}
      onConfirm={confirm}
      onClose={close}
    />
  );
}

/** The URL of a one-time link. The token is in the fragment, which is never sent to a server or logged. */
function oneTimeLinkUrl(kind: InviteWithToken["kind"], token: string): string {
  return `${window.location.origin}/${kind === "invite" ? "invite" : "reset"}#token=${token}`;
}

/** Shows a new one-time link, which is shown only once. */
function LinkDialog({ link, onClose }: { link: InviteWithToken; onClose(): void }) {
  const t = useTranslations("users.link");
  const format = useFormatter();
  const until = format.dateTime(new Date(link.expires_at), {
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const purpose =
    link.kind === "invite"
      ? { title: t("inviteTitle"), text: t("inviteText", { role: t(`asRole.${link.role}`) }) }
      : { title: t("resetTitle", { name: link.user?.username ?? "" }), text: t("resetText") };
  const labels = {
    ...purpose,
    copy: t("copy"),
    once: t("once"),
    onceText: t("onceText", { time: until }),
  };
  return (
    <SecretDialog
      secret={oneTimeLinkUrl(link.kind, link.token)}
      name="one-time-link"
      labels={labels}
      onClose={onClose}
    />
  );
}
