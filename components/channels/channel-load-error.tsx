import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";
import { CallError } from "../forms/call-error";
import { EmptyState } from "../ui/empty-state";
import { BackToChannels } from "./back-to-channels";

/** A channel's page whose channel does not exist or could not be loaded. */
export function ChannelLoadError({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useTranslations("channels.detail");
  return (
    <div className="mx-auto max-w-page">
      <BackToChannels />
      {isApiError(error, "not_found") ? (
        <EmptyState title={t("notFound")}>{t("notFoundText")}</EmptyState>
      ) : (
        <CallError error={error} onRetry={onRetry} />
      )}
    </div>
  );
}
