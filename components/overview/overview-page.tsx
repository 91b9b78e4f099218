"use client";

import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { rejectionsHref } from "@/lib/client/calls";
import { setQueryParam } from "@/lib/client/query-params";
import type { Range } from "@/lib/client/range";
import { useRange } from "@/lib/client/use-range";
import type { Overview } from "@/lib/contracts/console/overview";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { RangePicker } from "../forms/range-picker";
import { RejectedLink } from "../requests/rejected-link";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Skeleton } from "../ui/skeleton";
import { useIsBrowser } from "../ui/use-is-browser";
import { Figures } from "./figures";
import { FirstSteps, type StepsDone } from "./first-steps";
import { Incidents, LineNotice } from "./incidents";
import { OverviewChart } from "./overview-chart";
import { PatchBay } from "./patch-bay";
import { RecentRequests } from "./recent-requests";
import { Shares } from "./shares";
import { FIGURES, type Figure } from "./use-figure-texts";
import { useOpenAlerts, useOverview } from "./use-overview";

export interface OverviewPageProps {
  origin: string;
  done: StepsDone;
  isSetupUnfinished: boolean;
  models: readonly { name: string; operation: "speech" | "embeddings" }[];
  isAdmin: boolean;
  /** Self-use mode is on: the spend figure is hidden while it is 0. */
  hidesSpend: boolean;
  /** Server time at which `fallback` was read. */
  now: number;
  /** API replies by path, so that the first paint has its data. */
  fallback: Record<string, unknown>;
}

/** Incidents, figures, routes, recent calls, and calls by model, channel and key. */
export function OverviewPage({ fallback, ...props }: OverviewPageProps) {
  return (
    <SWRConfig value={{ fallback }}>
      <Content {...props} />
    </SWRConfig>
  );
}

function Content(props: Omit<OverviewPageProps, "fallback">) {
  const { origin, done, models, isAdmin } = props;
  const range = useRange("24h", props.now);
  const { data, error, mutate } = useOverview(range);
  // Decided once, so that the steps do not move while they are read and the first call arrives.
  const [isNew] = useState(() => (data?.total.calls ?? 0) + (data?.before.calls ?? 0) === 0);
  const isDone = Object.values(done).every(Boolean);
  const steps = <FirstSteps done={done} origin={origin} models={models} isOpen={isNew && !isDone} />;
  return (
    <div className="mx-auto grid max-w-360 grid-cols-1 gap-6">
      <OverviewHeader origin={origin} range={range} />
      <Notices isSetupUnfinished={props.isSetupUnfinished} isAdmin={isAdmin} overview={data} />
      {isNew && !isDone ? steps : null}
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : data ? (
        <>
          <FiguresAndChart overview={data} range={range} hidesSpend={props.hidesSpend} />
          {data.rejected > 0 ? (
            <RejectedLink calls={data.rejected} href={rejectionsHref(isAdmin, range)} className="-mt-3" />
          ) : null}
          {isAdmin ? <PatchBay overview={data} /> : null}
        </>
      ) : (
        <Skeleton className="h-160 w-full" />
      )}
      <RecentRequests isAdmin={isAdmin} />
      {data ? <Shares overview={data} isAdmin={isAdmin} /> : null}
      {isNew && !isDone ? null : steps}
    </div>
  );
}

function OverviewHeader({ origin, range }: { origin: string; range: Range }) {
  const t = useTranslations("overview");
  return (
    <header className="flex flex-wrap items-end justify-between gap-4">
      <div className="grid max-w-prose gap-1">
        <h1 className="text-xl">{t("title")}</h1>
        <div className="flex flex-wrap items-center gap-x-2 text-sm text-ink-muted">
          <span className="-my-1 flex items-center">
            <code className="break-all text-ink">{origin}</code>
            <CopyButton value={origin} name={t("copyAddress")} />
          </span>
          <p className="max-md:hidden">{t("lead")}</p>
        </div>
      </div>
      <RangePicker range={range} />
    </header>
  );
}

/** Unfinished setup, incidents and open alerts. */
function Notices({
  isSetupUnfinished,
  isAdmin,
  overview,
}: {
  isSetupUnfinished: boolean;
  isAdmin: boolean;
  overview: Overview | undefined;
}) {
  const t = useTranslations("overview");
  const { data: alerts } = useOpenAlerts(isAdmin);
  return (
    <div className="grid gap-3 empty:hidden">
      {isSetupUnfinished ? (
        <LineNotice
          tone="info"
          title={t("unfinished")}
          action={
            <Button asChild variant="outline" size="sm">
              {/* A full page load: the setup wizard is outside the console layout. */}
              <a href="/setup">{t("finishSetup")}</a>
            </Button>
          }
        >
          {t("unfinishedText")}
        </LineNotice>
      ) : null}
      {overview ? <Incidents channels={overview.channels} /> : null}
      {alerts && alerts.open > 0 ? (
        <LineNotice
          tone="warn"
          title={t("alerts.title", { count: alerts.open })}
          action={
            <Button asChild variant="outline" size="sm">
              <Link href="/alerts">{t("alerts.view")}</Link>
            </Button>
          }
        />
      ) : null}
    </div>
  );
}

function FiguresAndChart({
  overview,
  range,
  hidesSpend,
}: {
  overview: Overview;
  range: Range;
  hidesSpend: boolean;
}) {
  const t = useTranslations("overview");
  const amounts = useAmounts();
  const isBrowser = useIsBrowser();
  const requested = useSearchParams().get("figure");
  const shown = FIGURES.filter(
    (one) => one !== "spend" || !hidesSpend || Number(overview.total.cost_usd) > 0,
  );
  const figure: Figure = shown.find((one) => one === requested) ?? "calls";
  return (
    <div className="rounded-md border bg-panel">
      <Figures
        overview={overview}
        range={range}
        shown={shown}
        figure={figure}
        onFigure={(one) => setQueryParam("figure", one === "calls" ? null : one)}
      />
      <div className="border-t px-4 pt-5 pb-3 sm:px-5">
        <OverviewChart overview={overview} range={range} figure={figure} />
        {overview.read_from && isBrowser ? (
          <p className="pt-2 text-sm text-ink-muted">
            {t("readFrom", { when: amounts.stamp(overview.read_from) })}
          </p>
        ) : null}
      </div>
    </div>
  );
}
