"use client";

import { useState } from "react";
import useSWR from "swr";
import { useTranslations } from "use-intl";
import { draftOf } from "@/components/channels/channel-draft";
import { updateRequest } from "@/components/channels/channel-request";
import { api, callApi } from "@/lib/client/api";
import { isApiError } from "@/lib/client/api-error";
import { useApi, useApiCache } from "@/lib/client/use-api";
import { PageHeader } from "../../shell/page-header";
import { Skeleton } from "../../ui/skeleton";
import { toast } from "../../ui/toast";
import { BackToChannels } from "../back-to-channels";
import { ChannelLoadError } from "../channel-load-error";
import { CHANNELS_AND_MODELS } from "../use-channels";
import { ChannelForm, useLeaveForm } from "./channel-form";

let visits = 0;

/** The form of a saved channel. It starts from the first read; later reads do not overwrite user input. */
export function EditChannelPage({ id, mayAllow }: { id: string; mayAllow: boolean }) {
  const named = useTranslations("common.named");
  const { reload } = useApiCache();
  const models = useApi(api.listModels);
  const [visit] = useState(() => ++visits);
  // A cache key of its own for each visit: no other page revalidates the channel while the form is open, and the form
  // does not start from the reply of an earlier visit.
  const request = useSWR(["channel to edit", id, visit], () => callApi(api.getChannel, { params: { id } }), {
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  });
  /** The channel was changed elsewhere while the form was open. */
  const [isStale, setStale] = useState(false);
  const error: unknown = request.error ?? models.error;
  const channel = request.data;
  const address = `/channels/${encodeURIComponent(id)}`;
  const leave = useLeaveForm();
  if (!channel || !models.data)
    return error ? (
      <ChannelLoadError
        error={error}
        onRetry={() => {
          void request.mutate();
          void models.mutate();
        }}
      />
    ) : (
      <FormSkeleton />
    );
  return (
    <div className="mx-auto max-w-3xl">
      <BackToChannels />
      <PageHeader title={named("edit", { name: channel.name })} />
      <ChannelForm
        before={channel}
        draft={draftOf(channel, models.data.items)}
        isStale={isStale}
        mayAllow={mayAllow}
        cancelTo={address}
        onSave={async (draft) => {
          setStale(false);
          try {
            const body = updateRequest(draft, channel);
            const saved = await callApi(api.updateChannel, { params: { id }, body });
            void reload(...CHANNELS_AND_MODELS);
            toast.success(named("saved", { name: saved.name }));
            leave(address);
            return null;
          } catch (failure) {
            if (!isApiError(failure, "conflict")) throw failure;
            const [newest, { items }] = await Promise.all([
              callApi(api.getChannel, { params: { id } }),
              callApi(api.listModels),
            ]);
            setStale(true);
            await request.mutate(newest, { revalidate: false });
            return draftOf(newest, items);
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
