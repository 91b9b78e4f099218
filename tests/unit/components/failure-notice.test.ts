import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { SWRConfig } from "swr";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { FailureNotice } from "@/components/playground/failure-notice";
import { failureOfBody } from "@/lib/client/gateway-error";
import { EMPTY_SHARE } from "@/lib/contracts/gateway/error-sentences";
import { en } from "@/lib/messages/en";

/** The notice of a limit that refused a request, as text. */
function noticeOf(message: string): string {
  const body = { error: { message, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } };
  const failure = failureOfBody(body, 429);
  if (failure === null) throw new Error("The body is no error.");
  const children = createElement(FailureNotice, { failure });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en };
  const element = createElement(SWRConfig, { value: {} }, createElement(IntlProvider, { ...intl, children }));
  return renderToStaticMarkup(element).replaceAll(/<[^>]+>/g, "|");
}

test("distinguishes a request that has to wait from a request that exceeds the whole limit", () => {
  const limited = "All keys of this owner together are limited to 100 tokens per minute; this request needs";
  const waiting = noticeOf(`${limited} 60, and 50 are left. Try again in 6 s.`);
  expect(waiting).toContain("You’ve reached your limit of 100 tokens per minute.");
  const above = noticeOf(`${limited} 120, and 100 are left. Send less text in one request.`);
  expect(above).toContain("This request exceeds your limit of 100 tokens per minute.");
  expect(above).toContain(en.playground.failure.advice["too-large"]);
});

test("shows the server's message, and no advice to wait, when the process has no share of the limit", () => {
  const message = `All keys of this owner together are limited to 1 request per minute. ${EMPTY_SHARE}`;
  const notice = noticeOf(message);
  expect(notice).toContain(message);
  expect(notice).toContain("An administrator can raise the limit.");
  expect(notice).not.toContain("Wait");
});
