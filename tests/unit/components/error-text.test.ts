import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { useErrorText } from "@/components/forms/call-error";
import { ApiError, type FieldIssue } from "@/lib/client/api-error";
import { en } from "@/lib/messages/en";
import type { Locale } from "@/lib/messages/locale";
import { zh } from "@/lib/messages/zh";

const ErrorText = ({ error }: { error: unknown }) => useErrorText()(error).message;

const show = (error: ApiError, locale: Locale): string => {
  const children = createElement(ErrorText, { error });
  const intl = { locale, timeZone: "UTC", messages: { en, zh }[locale], children };
  return renderToStaticMarkup(createElement(IntlProvider, intl));
};

const textOf = (status: number, code: string, message = "") =>
  show(new ApiError({ status, code, message }), "en");

test("an unreachable server has another error text than an internal error", () => {
  const { network, unexpected } = en.common.error;
  expect(textOf(0, "network")).toBe(network);
  // A proxy's error page.
  for (const status of [502, 503, 504]) expect(textOf(status, "internal")).toBe(network);
  expect(textOf(500, "internal")).toBe(unexpected);
  expect(textOf(503, "unavailable", "The server is busy.")).toBe("The server is busy.");
});

test("says in Chinese how many more fields are not valid", () => {
  const issues = ["a", "b", "c"].map((path) => ({ path, message: "Is required." }));
  const message = "a: Is required. (and 2 more)";
  const error = new ApiError({ status: 400, code: "invalid", message, issues });
  expect(show(error, "zh")).toBe("a：必填（另有 2 处）");
});

test.each<[message: string, issue: FieldIssue, chinese: string]>([
  ["name: Is required. (and 2 more)", { path: "name", message: "Is required." }, "name：必填"],
  ["'base_url' is too odd", { path: "base_url", message: "Is not valid." }, "base_url：此值不被接受。"],
  ["body: Is not valid.", { path: "", message: "Is not valid." }, "此值不被接受。"],
  ["此密钥没有标签。", { path: "keys", message: "此密钥没有标签。" }, "此密钥没有标签。"],
])(
  "an error of a field that the page does not show has its rule in the page's language: %s",
  (message, issue, chinese) => {
    const error = new ApiError({ status: 400, code: "invalid", message, issues: [issue] });
    expect(show(error, "zh")).toBe(chinese);
    expect(show(error, "en").replaceAll("&#x27;", "'")).toBe(message);
  },
);
