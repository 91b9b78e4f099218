"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import type { TryReply } from "@/components/api-docs/openapi/try-call";
import { releaseUrl } from "@/lib/client/save-file";
import { useAmounts } from "../charts/use-amounts";
import { Badge } from "../ui/badge";
import { CodeBlock } from "../ui/code-block";

/** Status, latency, size, headers and body of the response, with a player if it contains audio. */
export function TryReplyView({ reply }: { reply: TryReply }) {
  const t = useTranslations("apiDocs.try");
  const { ms, bytes } = useAmounts();
  return (
    <div role="status" className="grid min-w-0 grid-cols-1 gap-4 border-t pt-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm tabular text-ink-muted">
        <Badge tone={reply.status < 400 ? "good" : "bad"}>
          <span className="sr-only">{t("status")} </span>
          {reply.status} {reply.statusText}
        </Badge>
        <span>{ms(reply.tookMs)}</span>
        <span>{bytes(reply.bytes)}</span>
      </p>
      {reply.audio ? <AudioPlayer blob={reply.audio} /> : null}
      {reply.text ? (
        <CodeBlock code={reply.text} label={t("replyBody")} copy={t("copy")} />
      ) : reply.audio ? null : (
        <p className="text-sm text-ink-muted">{t("noText")}</p>
      )}
      <details>
        <summary className="w-fit cursor-pointer text-sm font-medium">{t("headers")}</summary>
        <dl className="mt-2 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
          {reply.headers.map(([name, value]) => (
            <div key={name} className="contents">
              <dt>
                <code className="text-ink-faint">{name}</code>
              </dt>
              <dd className="min-w-0 break-words">
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

function AudioPlayer({ blob }: { blob: Blob }) {
  const t = useTranslations("apiDocs.try");
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const objectUrl = URL.createObjectURL(blob);
    setUrl(objectUrl);
    return () => releaseUrl(objectUrl);
  }, [blob]);
  return (
    // biome-ignore lint/a11y/useMediaCaption: the spoken text is in the request above
    <audio controls src={url ?? undefined} aria-label={t("play")} className="w-full max-w-md" />
  );
}
