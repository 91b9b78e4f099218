import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { OwnLimitsNotice } from "@/components/api-keys/keys-page";
import { en } from "@/lib/messages/en";
import { zh } from "@/lib/messages/zh";

const BUDGET = { daily_usd: null, monthly_usd: "7.5", total_usd: null };

test.each([
  ["en", en, "90 requests per minute, $7.50 per month. Only a user with a higher role can change them."],
  ["zh", zh, "每分钟 90 个请求、每月 $7.50。只有角色更高的用户可以更改"],
] as const)("the user's own limits in %s have that language's punctuation", (locale, messages, text) => {
  const limits = { rpm: 90, tpm: null, concurrency: null, budget: BUDGET };
  const children = createElement(OwnLimitsNotice, { limits });
  const intl = { locale, timeZone: "UTC", messages, children };
  expect(renderToStaticMarkup(createElement(IntlProvider, intl))).toContain(text);
});
