"use client";

import { useRouter } from "next/navigation";
import { toast } from "sonner";
import { useTranslations } from "use-intl";
import { createRequest } from "@/components/channels/channel-draft";
import { api } from "@/lib/client/api";
import { CHANNELS, useCatalogueReload } from "@/lib/client/channels";
import { discardUnsaved } from "@/lib/client/unsaved";
import type { Channel } from "@/lib/contracts/console/channels";
import { PageHeader } from "../../shell/page-header";
import { BackToChannels } from "../back-to-channels";
import { ChannelForm } from "./channel-form";

export function NewChannelPage({ mayAllow }: { mayAllow: boolean }) {
  const t = useTranslations("channels.form");
  const router = useRouter();
  const reload = useCatalogueReload();
  return (
    <div className="mx-auto max-w-3xl">
      <BackToChannels />
      <PageHeader title={t("createTitle")} description={t("createLead")} />
      <ChannelForm
        before={null}
        mayAllow={mayAllow}
        cancelTo="/channels"
        onSave={async (draft) => {
          const created = await api.post<Channel>(CHANNELS, createRequest(draft));
          void reload();
          toast.success(t("added", { name: created.name }));
          discardUnsaved();
          router.push("/channels");
        }}
      />
    </div>
  );
}
