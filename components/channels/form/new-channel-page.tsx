"use client";

import { useTranslations } from "use-intl";
import { createRequest } from "@/components/channels/channel-request";
import { api, callApi } from "@/lib/client/api";
import { useApiCache } from "@/lib/client/use-api";
import { PageHeader } from "../../shell/page-header";
import { toast } from "../../ui/toast";
import { BackToChannels } from "../back-to-channels";
import { CHANNELS_AND_MODELS } from "../use-channels";
import { ChannelForm, useLeaveForm } from "./channel-form";

export function NewChannelPage({ mayAllow }: { mayAllow: boolean }) {
  const t = useTranslations("channels.form");
  const leave = useLeaveForm();
  const { reload } = useApiCache();
  return (
    <div className="mx-auto max-w-3xl">
      <BackToChannels />
      <PageHeader title={t("createTitle")} description={t("createLead")} />
      <ChannelForm
        before={null}
        mayAllow={mayAllow}
        cancelTo="/channels"
        onSave={async (draft) => {
          const created = await callApi(api.createChannel, { body: createRequest(draft) });
          void reload(...CHANNELS_AND_MODELS);
          toast.success(t("added", { name: created.name }));
          leave("/channels");
          return null;
        }}
      />
    </div>
  );
}
