import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { useAlertText } from "@/components/alerts/alert-text";
import type { Alert } from "@/lib/contracts/console/alerts";
import { en } from "@/lib/messages/en";

const Advice = (fields: Pick<Alert, "kind" | "detail">) =>
  // Only the fields that the advice depends on.
  useAlertText().adviceOf(fields as Alert);

const Duration = (alert: Alert) => useAlertText().durationOf(alert);

const Title = (alert: Alert) => useAlertText().titleOf(alert);

function render(element: ReactElement): string {
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children: element };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
}

function adviceFor(fields: Pick<Alert, "kind" | "detail">): string {
  return render(createElement(Advice, fields));
}

test("the advice of a channel alert depends on why the circuit opened", () => {
  const advice = (detail: Alert["detail"]) => adviceFor({ kind: "channel_open", detail });
  expect(advice({ reason: "failures", circuits: "models" })).toBe(en.alerts.todo.channel_models);
  expect(advice({ reason: "failures", circuits: "keys" })).toBe(en.channels.advice.failures);
  expect(advice({ reason: "rate_limited", circuits: "models" })).toBe(en.channels.advice.rate_limited);
  expect(advice({ reason: "credentials", circuits: "keys" })).toBe(en.channels.advice.credentials);
  expect(advice({ reason: null })).toBe(en.channels.advice.unknown);
});

test("the advice of a disk alert is the text of its kind", () => {
  expect(adviceFor({ kind: "disk", detail: {} })).toBe(en.alerts.todo.disk);
});

test.each([
  [
    99,
    "daily",
    "Requests that don’t fit the rest are refused until the budget is raised or its period ends.",
  ],
  [99, "total", "Requests that don’t fit the rest are refused until the budget is raised."],
  [100, "monthly", "Requests are refused until the budget is raised or its period ends."],
  [100, "total", "Requests are refused until the budget is raised."],
])("the advice at %i %% of a %s budget that refuses requests is: %s", (percent, period, advice) => {
  expect(adviceFor({ kind: "budget_spent", detail: { percent, period } })).toBe(advice);
});

test.each([
  ["error_rate", "opened", { percent: 27.8, peak_percent: 31.5 }, "27.8% of requests fail"],
  ["error_rate", "resolved", { percent: 3, peak_percent: 31.5 }, "Error rate reached 31.5%"],
  ["error_rate", "resolved", { percent: 100, peak_percent: 0, threshold: 20 }, "Error rate reached 20%"],
  ["error_rate", "opened", { percent: 40 }, "40% of requests fail"],
  ["budget_nearly_spent", "opened", { percent: 99.9 }, "robot has spent 99.9% of its budget"],
  ["budget_spent", "opened", { percent: 97 }, "robot has requests refused at 97% of its budget"],
  ["budget_spent", "resolved", { percent: 97 }, "robot had requests refused at 97% of its budget"],
  ["budget_spent", "opened", { percent: 100 }, "robot has spent its budget"],
  ["disk", "opened", { percent: 3.2 }, "Only 3.2% of the disk is free"],
] as const)("the title of an alert %s that is %s with %j is: %s", (kind, state, detail, title) => {
  // Only the fields that the title depends on.
  const alert = { kind, state, subject: "key_1:daily", subject_name: "robot", detail } as unknown as Alert;
  expect(render(createElement(Title, alert))).toBe(title);
});

test.each([
  ["00:00:59.9", "59 seconds"],
  ["00:01:30", "90 seconds"],
  ["00:59:59", "59 minutes"],
  ["01:30:00", "90 minutes"],
  ["02:00:00", "2 hours"],
  ["02:50:00", "2 hours"],
])("the duration of an alert that was open for %s is shown as %s", (time, duration) => {
  const times = { opened_at: "2026-11-20T00:00:00Z", resolved_at: `2026-11-20T${time}Z` };
  // Only the fields that the duration depends on.
  expect(render(createElement(Duration, times as Alert))).toBe(duration);
});
