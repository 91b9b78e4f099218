"use client";

import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import type { Channel } from "@/lib/contracts/console/channels";
import { Button } from "../ui/button";
import { TestOutcome } from "./test-outcome";
import { useTestCalls } from "./use-test-call";

/** The models of a saved channel, each with a button that sends one real call to the upstream. */
export function SavedTests({ channel, onTested }: { channel: Channel; onTested(): void }) {
  const t = useTranslations("channels");
  const { tests, run } = useTestCalls();
  if (channel.models.length === 0) return <p className="text-ink-muted">{t("noModels")}</p>;
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {channel.models.map(({ name, upstream_name }) => {
        const state = tests.get(name);
        return (
          <li key={name} className="grid gap-1 px-3 py-2">
            <span className="flex items-center justify-between gap-3">
              <span className="grid min-w-0">
                <code className="break-all">{name}</code>
                {upstream_name === name ? null : (
                  <code className="text-sm break-all text-ink-muted">{upstream_name}</code>
                )}
              </span>
              <Button
                variant="outline"
                size="sm"
                isBusy={state?.kind === "running"}
                aria-label={t("form.testOf", { name })}
                onClick={() =>
                  void run(name, () =>
                    callApi(api.testChannel, { params: { id: channel.id }, body: { model: name } }),
                  ).then(onTested)
                }
              >
                {t("form.test")}
              </Button>
            </span>
            {state ? <TestOutcome state={state} /> : null}
          </li>
        );
      })}
    </ul>
  );
}
