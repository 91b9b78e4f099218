import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { useErrorText } from "@/components/forms/call-error";
import { ApiError } from "@/lib/client/api-error";
import { en } from "@/lib/messages/en";

const ErrorText = ({ error }: { error: unknown }) => useErrorText()(error).message;

function textOf(status: number, code: string, message = ""): string {
  const children = createElement(ErrorText, { error: new ApiError({ status, code, message }) });
  const intl = { locale: "en" as const, timeZone: "UTC", messages: en, children };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
}

test("a server that cannot be reached is not one with an internal error", () => {
  const { network, unexpected } = en.common.error;
  expect(textOf(0, "network")).toBe(network);
  // A proxy's error page.
  for (const status of [502, 503, 504]) expect(textOf(status, "internal")).toBe(network);
  expect(textOf(500, "internal")).toBe(unexpected);
  expect(textOf(503, "unavailable", "The server is busy.")).toBe("The server is busy.");
});
