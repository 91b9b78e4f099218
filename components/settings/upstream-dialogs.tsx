"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApiCache } from "@/lib/client/use-api";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { ruleText } from "../forms/rule-text";
import { TextField, VERBATIM } from "../forms/text-field";
import { useWhileMounted } from "../forms/use-action";
import { toast } from "../ui/toast";
import { PasswordDialog } from "./password-dialog";

/** Allows one host and port after asking for the owner's password. */
export function UpstreamDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.upstreams");
  const cache = useApiCache();
  const close = useWhileMounted(onClose);
  const fieldError = useTranslations("common.fieldError");
  const [address, setAddress] = useState("");
  const [error, setError] = useState<string>();
  return (
    <PasswordDialog
      title={t("addTitle")}
      text={t("addText")}
      action={t("allow")}
      isDirty={address !== ""}
      onClose={onClose}
      onProof={async (password) => {
        setError(undefined);
        const body = { base_url: address.trim(), password };
        try {
          const list = await callApi(api.allowUpstream, { body });
          await cache.write(api.listAllowedUpstreams, {}, list);
          toast.success(t("allowed", { target: address.trim() }));
          close();
        } catch (failure) {
          const issue = isApiError(failure) && failure.issues.find(({ path }) => path === "base_url");
          if (!issue) throw failure;
          setError(ruleText(fieldError, issue.message));
        }
      }}
    >
      <TextField
        label={t("address")}
        hint={t("addressHint")}
        error={error}
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
  const close = useWhileMounted(onClose);
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
        close();
      }}
    />
  );
}
