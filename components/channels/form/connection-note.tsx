"use client";

import { useTranslations } from "use-intl";
import { CallError } from "../../forms/call-error";
import { Notice } from "../../ui/notice";
import { Spinner } from "../../ui/spinner";
import { Lamp } from "../../ui/status-dot";
import { useFaultWords } from "../error-text";
import { PrivateAddress } from "./private-address";
import type { Connection } from "./use-connection";

/** What asking the upstream came to, under the button that asked. */
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
  const words = useFaultWords();
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
          <Lamp tone="good" />
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
    case "fault": {
      const { why, said } = words(connection.fault);
      return (
        <Notice tone="bad" title={why} isLive>
          {said} {t("listFailed")}
        </Notice>
      );
    }
    case "failed":
      return <CallError error={connection.error} />;
    default:
      return connection satisfies never;
  }
}
