"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { rejectionsHref } from "@/lib/client/calls";
import { dismissSteps, OVERVIEW_OPTIONS, overviewQuery } from "@/lib/client/overview";
import { setQueryParam } from "@/lib/client/query-params";
import type { Range } from "@/lib/client/range";
import { useApi } from "@/lib/client/use-api";
import { useRange } from "@/lib/client/use-range";
import type { Overview } from "@/lib/contracts/console/overview";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { RangePicker } from "../forms/range-picker";
import { RejectedLink } from "../requests/rejected-link";
import { CopyButton } from "../ui/copy-button";
import { Skeleton } from "../ui/skeleton";
import { useIsBrowser } from "../ui/use-is-browser";
import { OverviewFigures } from "./figures";
import { FirstSteps, type FirstStepsProps } from "./first-steps";
import { Incidents } from "./incidents";
import { OverviewChart } from "./overview-chart";
import { PatchBay } from "./patch-bay";
import { RecentRequests } from "./recent-requests";
import { Shares } from "./shares";
import { FIGURES, type OverviewFigure } from "./use-figure-texts";

export interface OverviewPageProps extends Pick<FirstStepsProps, "origin" | "done" | "model"> {
  isAdmin: boolean;
  /** The checklist of first steps was dismissed in this browser. */
  areStepsDismissed: boolean;
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
  const { origin, done, model, isAdmin } = props;
  const range = useRange(props.now);
  const { data, error, mutate } = useApi(api.readOverview, { query: overviewQuery(range) }, OVERVIEW_OPTIONS);
  // Decided once, so that the steps do not move when the first call arrives while the user reads them.
  const [isNew] = useState(() => (data?.total.calls ?? 0) + (data?.before.calls ?? 0) === 0);
  const { data: alerts } = useApi(api.summarizeAlerts, isAdmin ? {} : null);
  const isDone = Object.values(done).every(Boolean);
  const [isDismissed, setDismissed] = useState(props.areStepsDismissed);
  const steps = isDismissed ? null : (
    <FirstSteps
      done={done}
      origin={origin}
      model={model}
      isOpen={isNew && !isDone}
      onDismiss={() => {
        dismissSteps();
        setDismissed(true);
      }}
    />
  );
  return (
    <div className="mx-auto grid max-w-360 grid-cols-1 gap-6">
      <OverviewHeader origin={origin} range={range} />
      {data ? <Incidents channels={data.channels} openAlerts={alerts?.open ?? 0} /> : null}
      {error && !data ? (
        <CallError error={error} onRetry={() => void mutate()} />
      ) : data ? (
        <>
          <FiguresAndChart overview={data} range={range} hidesSpend={props.hidesSpend} isAdmin={isAdmin} />
          {data.rejected > 0 ? (
            <RejectedLink calls={data.rejected} href={rejectionsHref(isAdmin, range)} className="-mt-3" />
          ) : null}
          {isNew && !isDone ? steps : null}
          {isAdmin ? <PatchBay overview={data} /> : null}
        </>
      ) : (
        <Skeleton className="h-160 w-full" />
      )}
      <RecentRequests isAdmin={isAdmin} />
      {data ? <Shares overview={data} range={range} isAdmin={isAdmin} /> : null}
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

function FiguresAndChart({
  overview,
  range,
  hidesSpend,
  isAdmin,
}: {
  overview: Overview;
  range: Range;
  hidesSpend: boolean;
  isAdmin: boolean;
}) {
  const t = useTranslations("overview");
  const amounts = useAmounts();
  const isBrowser = useIsBrowser();
  const requested = useSearchParams().get("figure");
  const shown = FIGURES.filter(
    (one) => one !== "spend" || !hidesSpend || Number(overview.total.cost_usd) > 0,
  );
  const figure: OverviewFigure = shown.find((one) => one === requested) ?? "calls";
  return (
    <div className="rounded-md border bg-panel">
      <OverviewFigures
        overview={overview}
        range={range}
        shown={shown}
        figure={figure}
        isAdmin={isAdmin}
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
