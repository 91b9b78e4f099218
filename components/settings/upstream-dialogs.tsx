"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { TextField, VERBATIM } from "../forms/text-field";
import { toast } from "../ui/toast";
import { PasswordDialog } from "./password-dialog";

/** Allows one host and port after asking for the owner's password. */
export function UpstreamDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.upstreams");
  const cache = useApiCache();
  const [address, setAddress] = useState("");
  return (
    <PasswordDialog
      title={t("addTitle")}
      text={t("addText")}
      action={t("allow")}
      onClose={onClose}
      onProof={async (password) => {
        const body = { base_url: address.trim(), password };
        const list = await callApi(api.allowUpstream, { body });
        await cache.write(api.listAllowedUpstreams, {}, list);
        toast.success(t("allowed", { target: address.trim() }));
        onClose();
      }}
    >
      <TextField
        label={t("address")}
        hint={t("addressHint")}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        inputMode="url"
        {...VERBATIM}
        autoCapitalize="none"
      />
    </PasswordDialog>
  );
}

/** Revokes an allowed host and port. */
export function RevokeDialog({ target, onClose }: { target: string; onClose(): void }) {
  const t = useTranslations("settings.upstreams");
  const cache = useApiCache();
  return (
    <ConfirmDialog
      title={t("revokeTitle", { target })}
      text={t("revokeText")}
      action={t("revoke")}
      onClose={onClose}
      onConfirm={async () => {
        await callApi(api.disallowUpstream, { params: { target } });
        await cache.reload(api.listAllowedUpstreams);
        toast.success(t("revoked", { target }));
        onClose();
      }}
    />
  );
}
