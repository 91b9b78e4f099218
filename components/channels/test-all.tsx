"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel } from "@/lib/contracts/console/channels";
import { StatusDot } from "../ui/badge";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "../ui/dialog";
import { Progress } from "../ui/progress";
import { TestOutcome, useTestFailure } from "./test-outcome";
import { type TestState, useTestCalls } from "./use-test-call";

/** Maximum number of concurrent tests: they are real calls, some of them to engines on this machine. */
const CONCURRENCY = 3;

/** Tests every enabled channel with its first model, a few at a time, and shows how each went. */
export function TestAll({
  channels,
  onTested,
  onClose,
}: {
  channels: readonly Channel[];
  onTested(): void;
  onClose(): void;
}) {
  const t = useTranslations("channels.testAll");
  const { tested, tests } = useTests(channels, onTested);
  const failureOf = useTestFailure();
  const done = tested.filter(({ id }) => isOver(tests.get(id)));
  const failed = done.filter(({ id }) => !isPassed(tests.get(id))).length;
  const isFinished = done.length === tested.length;
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{t("title")}</DialogTitle>
          <DialogDescription role="status">
            {isFinished
              ? t("finished", { passed: done.length - failed, failed })
              : t("progress", { done: done.length, all: tested.length })}
          </DialogDescription>
        </DialogHeader>
        {/* Announces each failure once, with its channel; the rows below are not live regions. */}
        <div role="log" className="sr-only">
          {done.map(({ id, name }) => {
            const failure = failureOf(tests.get(id));
            return failure ? <p key={id}>{t("failure", { name, error: failure.summary })}</p> : null;
          })}
        </div>
        <Progress value={done.length} max={tested.length} label={t("title")} />
        <ul className="divide-y rounded-md border bg-panel">
          {tested.map((channel) => (
            <TestedChannel key={channel.id} channel={channel} state={tests.get(channel.id)} />
          ))}
        </ul>
      </DialogContent>
    </Dialog>
  );
}

/** Runs the tests, a few at a time, and holds their outcomes. */
function useTests(channels: readonly Channel[], onTested: () => void) {
  // The channels at the time the dialog opened: a reload of the list must not start the tests again.
  const [tested] = useState(() => channels.filter(({ enabled, models }) => enabled && models.length > 0));
  const { tests, run } = useTestCalls();
  const report = useEffectEvent(onTested);
  useEffect(() => {
    let isClosed = false;
    const waiting = [...tested];
    const work = async () => {
      for (let next = waiting.shift(); next && !isClosed; next = waiting.shift()) {
        const { id } = next;
        await run(id, () => callApi(api.testChannel, { params: { id }, body: {} }));
      }
    };
    void Promise.all(Array.from({ length: CONCURRENCY }, work)).then(() => report());
    return () => {
      isClosed = true;
    };
  }, [tested, run]);
  return { tested, tests };
}

function TestedChannel({ channel, state }: { channel: Channel; state: TestState | undefined }) {
  const t = useTranslations("channels.testAll");
  return (
    <li className="grid gap-1 px-3 py-2">
      <span className="flex items-center gap-2.5">
        <StatusDot tone={!isOver(state) ? "off" : isPassed(state) ? "good" : "bad"} />
        <span className="min-w-0 font-medium wrap-anywhere">{channel.name}</span>
        <code className="ml-auto min-w-0 truncate text-sm text-ink-muted">{channel.models[0]?.name}</code>
      </span>
      {state ? (
        <TestOutcome state={state} isQuiet />
      ) : (
        <p className="text-sm text-ink-faint">{t("waiting")}</p>
      )}
    </li>
  );
}

const isOver = (state: TestState | undefined) => state !== undefined && state.kind !== "running";
const isPassed = (state: TestState | undefined) => state?.kind === "done" && state.test.ok;
