"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import { draftOf, updateRequest } from "@/components/channels/channel-draft";
import { api } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { channelPath, useCatalogueReload, useModels } from "@/lib/client/channels";
import { giveUpUnsaved } from "@/lib/client/unsaved";
import type { Channel } from "@/lib/contracts/console/channels";
import { CallError } from "../../forms/call-error";
import { PageHeader } from "../../shell/page-header";
import { Skeleton } from "../../ui/skeleton";
import { BackToChannels } from "../back-to-channels";
import { ChannelForm } from "./channel-form";

/** The form of a channel that stands. It begins with what was read first; later readings do not overwrite what is typed. */
export function EditChannelPage({ id, mayAllow }: { id: string; mayAllow: boolean }) {
  const t = useTranslations("channels");
  const router = useRouter();
  const reload = useCatalogueReload();
  const models = useModels();
  // A name of its own, so that nothing but this page reads it anew while the form is open.
  const read = useSWR(["channel to edit", id], () => api.get<Channel>(channelPath(id)), {
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
    revalidateIfStale: true,
    dedupingInterval: 0,
  });
  const [stale, setStale] = useState(0);
  const error: unknown = read.error ?? models.error;
  const channel = read.data;
  const address = `/channels/${encodeURIComponent(id)}`;
  if (error && (!channel || !models.data))
    return <CallError error={error} onRetry={() => void read.mutate()} />;
  if (!channel || !models.data || (read.isValidating && stale === 0)) return <FormSkeleton />;
  return (
    <div className="mx-auto max-w-3xl">
      <BackToChannels />
      <PageHeader title={t("form.editTitle", { name: channel.name })} />
      <ChannelForm
        key={stale}
        before={channel}
        draft={draftOf(channel, models.data.items)}
        isStale={stale > 0}
        mayAllow={mayAllow}
        cancelTo={address}
        onSave={async (draft) => {
          try {
            const saved = await api.patch<Channel>(channelPath(id), updateRequest(draft, channel));
            void reload();
            toast.success(t("saved", { name: saved.name }));
            giveUpUnsaved();
            router.push(address);
          } catch (failure) {
            if (!isApiError(failure, "conflict")) throw failure;
            await read.mutate();
            setStale((times) => times + 1);
          }
        }}
      />
    </div>
  );
}

function FormSkeleton() {
  return (
    <div aria-busy="true" className="mx-auto grid max-w-3xl gap-6">
      <Skeleton className="h-5 w-28" />
      <Skeleton className="h-7 w-64" />
      <Skeleton className="h-40 w-full rounded-md" />
      <Skeleton className="h-56 w-full rounded-md" />
    </div>
  );
}
