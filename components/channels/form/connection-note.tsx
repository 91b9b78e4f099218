"use client";

import { useTranslations } from "use-intl";
import { CallError } from "../../forms/call-error";
import { StatusDot } from "../../ui/badge";
import { Notice } from "../../ui/notice";
import { Spinner } from "../../ui/progress";
import { useUpstreamErrorText } from "../test-outcome";
import { PrivateAddress } from "./private-address";
import type { Connection } from "./use-connection";

/** Result of "Connect", shown under the button. */
export function ConnectionNote({
  connection,
  baseUrl,
  mayAllow,
  onAllowed,
}: {
  connection: Connection;
  baseUrl: string;
  mayAllow: boolean;
  onAllowed(): void;
}) {
  const t = useTranslations("channels.form");
  const upstreamErrorText = useUpstreamErrorText();
  switch (connection.kind) {
    case "none":
      return null;
    case "busy":
      return (
        <p role="status" className="flex items-center gap-2 text-ink-muted">
          <Spinner className="size-3.5" />
          {t("connecting")}
        </p>
      );
    case "listed":
      return (
        <p role="status" className="flex items-baseline gap-2">
          <StatusDot tone="good" />
          {t("connected", { count: connection.count })}
        </p>
      );
    case "no-list":
      return (
        <Notice tone="info" isLive>
          {t("noList")}
        </Notice>
      );
    case "private":
      return (
        <PrivateAddress
          target={connection.target}
          baseUrl={baseUrl}
          mayAllow={mayAllow}
          onAllowed={onAllowed}
        />
      );
    case "upstream-error": {
      const { summary, detail } = upstreamErrorText(connection.error);
      return (
        <Notice tone="bad" title={summary} isLive>
          {detail} {t("listFailed")}
        </Notice>
      );
    }
    case "failed":
      return <CallError error={connection.error} />;
    default:
      return connection satisfies never;
  }
}
