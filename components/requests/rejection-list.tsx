"use client";

import { BanIcon } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { type CallFilters, rejectionsQuery } from "@/lib/client/calls";
import type { Range } from "@/lib/client/range";
import { useApiPages } from "@/lib/client/use-api-pages";
import type { Rejection } from "@/lib/contracts/console/rejections";
import { useAmounts } from "../charts/use-amounts";
import { ListBody } from "../shell/list-body";
import { type Column, RecordList } from "../shell/record-list";
import { StatusDot } from "../ui/badge";
import { EmptyState } from "../ui/empty-state";
import { CopyRequestId } from "./call-cells";

interface RejectionListProps {
  filters: CallFilters;
  range: Range;
  /** Shows whose key it was. */
  showsUsers: boolean;
}

/** Requests that were refused before a channel was called: per minute, key, model and error. */
export function RejectionList({ filters, range, showsUsers }: RejectionListProps) {
  const query = useStableStart(rejectionsQuery(filters, range), range);
  // One filter is the status that selects this list.
  const isFiltered = Object.keys(filters).length > 1;
  return query === null ? <NoRejections /> : <Rejections {...{ query, isFiltered, showsUsers }} />;
}

/** Keeps the start of a relative range until the filters change: a moving start would load the list again. */
function useStableStart<Query extends { from?: string } | null>(query: Query, { name }: Range): Query {
  const identity = JSON.stringify([name, name === "custom" ? query : { ...query, from: undefined }]);
  const [kept, setKept] = useState({ identity, query });
  if (kept.identity !== identity) setKept({ identity, query });
  return kept.identity === identity ? kept.query : query;
}

function NoRejections() {
  const t = useTranslations("requests.rejected");
  return (
    <EmptyState icon={<BanIcon />} title={t("emptyTitle")}>
      {t("emptyText")}
    </EmptyState>
  );
}

function Rejections({
  query,
  isFiltered,
  showsUsers,
}: {
  query: NonNullable<ReturnType<typeof rejectionsQuery>>;
  isFiltered: boolean;
  showsUsers: boolean;
}) {
  const t = useTranslations("requests");
  const columns = useColumns(showsUsers);
  const list = useApiPages(api.listRejections, { query });
  return (
    <ListBody list={list} isFiltered={isFiltered} empty={<NoRejections />}>
      {(items) => (
        <>
          <p className="max-w-prose text-sm text-ink-muted">{t("rejected.note")}</p>
          <RecordList
            label={t("rejected.label")}
            items={items}
            columns={columns}
            cardTitle={(one) => <Outcome of={one} />}
          />
        </>
      )}
    </ListBody>
  );
}

function useColumns(showsUsers: boolean): Column<Rejection>[] {
  const t = useTranslations("requests.rejected");
  const amounts = useAmounts();
  return [
    {
      name: "when",
      heading: t("when"),
      cell: (one) => (
        <time dateTime={one.at} title={amounts.exact(one.at)} className="tabular" suppressHydrationWarning>
          {amounts.stamp(one.at)}
        </time>
      ),
      className: "whitespace-nowrap",
    },
    {
      name: "calls",
      heading: t("calls"),
      cell: (one) => <span className="tabular">{amounts.count(one.calls)}</span>,
      className: "md:text-right",
    },
    {
      name: "outcome",
      heading: t("outcome"),
      cell: (one) => <Outcome of={one} />,
      className: "whitespace-nowrap",
      isOnCard: () => false,
    },
    { name: "key", heading: t("key"), cell: (one) => <Key of={one} showsUsers={showsUsers} /> },
    {
      name: "model",
      heading: t("model"),
      cell: (one) =>
        one.model === null ? (
          <span className="text-ink-faint">{t("anyModel")}</span>
        ) : (
          <code title={one.model} className="block truncate md:max-w-36">
            {one.model}
          </code>
        ),
    },
    {
      name: "retryAfter",
      heading: t("retryAfter"),
      cell: (one) =>
        one.retry_after === null ? (
          <span className="text-ink-faint">—</span>
        ) : (
          <span className="tabular">{t("seconds", { seconds: one.retry_after })}</span>
        ),
      className: "whitespace-nowrap",
    },
    {
      name: "detail",
      heading: t("detail"),
      cell: (one) => <Detail of={one} />,
      className: "md:w-[38%] md:min-w-64",
    },
  ];
}

/** Status and code, and the limit that was hit. */
function Outcome({ of: { status, error, limit } }: { of: Rejection }) {
  const t = useTranslations("requests.rejected.limit");
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-2">
        <StatusDot tone="warn" />
        <span className="tabular">{status}</span>
        <code className="text-warn">{error}</code>
      </span>
      {limit === null ? null : <span className="pl-4 text-sm text-ink-muted">{t(limit)}</span>}
    </span>
  );
}

/** Errors that are found before the API key is read. */
const BEFORE_KEY: readonly string[] = ["unknown_url", "method_not_allowed"];

/** The message name of why a rejected request has no key. */
export function missingKeyReason({ error }: Pick<Rejection, "error">): "keyNotChecked" | "noKey" {
  return BEFORE_KEY.includes(error) ? "keyNotChecked" : "noKey";
}

function Key({ of: one, showsUsers }: { of: Rejection; showsUsers: boolean }) {
  const t = useTranslations("requests.rejected");
  const user = one.user_name ?? one.user_id;
  return (
    <span className="grid gap-0.5">
      {one.key_id === null ? (
        <span className="text-ink-faint">{t(missingKeyReason(one))}</span>
      ) : (
        <span className="wrap-anywhere">{one.key_name ?? <code>{one.key_id}</code>}</span>
      )}
      {showsUsers && user !== null ? <span className="text-sm text-ink-muted">{user}</span> : null}
    </span>
  );
}

function Detail({ of: one }: { of: Rejection }) {
  const t = useTranslations("requests");
  return (
    <span className="grid gap-0.5 text-sm">
      <span className="wrap-anywhere">{one.message}</span>
      <span className="flex min-w-0 items-center gap-1 text-ink-muted max-md:flex-wrap">
        <code className="min-w-0 truncate md:max-w-40" title={one.request_id}>
          {one.request_id}
        </code>
        <CopyRequestId id={one.request_id} />
        {one.address === null ? null : (
          <span className="text-ink-faint md:whitespace-nowrap">
            {t("rejected.address", { address: one.address })}
          </span>
        )}
      </span>
    </span>
  );
}
