import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { useAlertText } from "@/components/alerts/alert-text";
import type { Alert } from "@/lib/contracts/console/alerts";
import { en } from "@/lib/messages/en";

const Advice = (fields: Pick<Alert, "kind" | "detail">) =>
  // Only the fields that the advice depends on.
  useAlertText().adviceOf(fields as Alert);

function adviceFor(fields: Pick<Alert, "kind" | "detail">): string {
  const children = createElement(Advice, fields);
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
}

test("the advice of an alert about a channel fits why its circuit opened", () => {
  const advice = (detail: Alert["detail"]) => adviceFor({ kind: "channel_open", detail });
  expect(advice({ reason: "failures", circuits: "models" })).toBe(en.alerts.todo.channel_models);
  expect(advice({ reason: "failures", circuits: "keys" })).toBe(en.channels.advice.failures);
  expect(advice({ reason: "rate_limited", circuits: "models" })).toBe(en.channels.advice.rate_limited);
  expect(advice({ reason: "credentials", circuits: "keys" })).toBe(en.channels.advice.credentials);
  expect(advice({ reason: null })).toBe(en.channels.advice.unknown);
});

test("the advice of another alert is that of its kind", () => {
  expect(adviceFor({ kind: "disk", detail: {} })).toBe(en.alerts.todo.disk);
});
