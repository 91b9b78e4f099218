import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import { ruleText } from "../../../components/forms/rule-text";
import { LIMIT_RULES } from "../../../lib/contracts/limits";
import { Usd } from "../../../lib/contracts/money";
import { isAppError } from "../../../lib/errors";
import { common } from "../../../lib/messages/en/common";
import { common as chinese } from "../../../lib/messages/zh/common";
import { parseAllowList } from "../../../lib/providers/outbound/allow-list";
import { checkHeaders } from "../../../lib/providers/outbound/headers";
import { readUpstreamUrl } from "../../../lib/providers/outbound/upstream-url";

const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });
const zh = createTranslator({
  locale: "zh",
  messages: { common: chinese },
  namespace: "common.fieldError",
});

test("shows a limit in the unit of the field", () => {
  const { max, min } = LIMIT_RULES.jsonBodyBytes;
  expect(ruleText(t, `Must be ${max} or less.`, 1_024)).toBe("Enter 1048576 or less.");
  expect(ruleText(t, `Must be ${min} or more.`, 1_024)).toBe("Enter 64 or more.");
  expect(ruleText(t, `Must be ${LIMIT_RULES.headersTimeoutMs.max} or less.`, 1_000)).toBe(
    "Enter 600 or less.",
  );
});

test("shows a limit in the server's unit if the field has no unit of its own", () => {
  expect(ruleText(t, "Must be 4096 or less.")).toBe("Enter 4096 or less.");
});

test.each([
  ["'own' is the model's own name and cannot be its alias.", "own 是该模型自己的名称，请从别名中去掉。"],
  ["This username is already taken.", "此用户名已被使用，请换一个。"],
  ["This e-mail address is already taken.", "此电子邮箱已被使用，请换一个。"],
  ["Is required.", "必填"],
  ["Must be at least 1.", "不小于 1。"],
  ["Must be at least -90.5.", "不小于 -90.5。"],
  ["Must be at most 24.", "不大于 24。"],
  ["Must be at least 1 character long.", "至少 1 个字符。"],
  ["Must be at least 8 characters long.", "至少 8 个字符。"],
  ["Must be at most 200 characters long.", "最多 200 个字符。"],
  ["Must have at most 2,048 characters.", "最多 2048 个字符。"],
  ["Must have at most 1024 bytes.", "最多 1024 字节。"],
  ["Unknown field.", "未知字段。"],
  ["The base URL must not have a query or a fragment.", "请输入不含 ? 和 # 的 URL。"],
  ["Is not valid.", "此值不被接受。"],
])("translates %s", (message, text) => {
  expect(ruleText(zh, message)).toBe(text);
  expect(ruleText(t, message)).not.toBe(message);
});

test("says in both languages how many decimals an amount may have", () => {
  const message = Usd.safeParse("0.0000000001").error?.issues[0]?.message ?? "";
  expect(ruleText(t, message)).toBe("Enter an amount below 9,007,199 with at most 9 decimals, e.g. 12.50");
  expect(ruleText(zh, message)).toBe("请输入小于 9,007,199 的金额，最多 9 位小数，例如 12.50");
});

test("shows a limit of at most or at least N in the unit of the field", () => {
  expect(ruleText(t, "Must be at most 4096.", 1_024)).toBe("Enter 4 or less.");
  expect(ruleText(t, "Must be at least 2048.", 1_024)).toBe("Enter 2 or more.");
});

/** The field's message in the error that the function throws. */
function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isAppError(error)) return error.details.issues?.[0]?.message ?? expect.unreachable();
  }
  return expect.unreachable();
}

test("translates every reason why a channel's address or header is refused", () => {
  const allow = parseAllowList([]);
  const urls = [
    "ftp://x",
    "https://a b",
    "https://a/?b",
    "https://a/../b",
    "https://u:p@a",
    "https://*.a",
    "https://a:25",
  ];
  const addresses = ["https://169.254.169.254", "https://10.0.0.1", "http://a.example"];
  const headers: Record<string, string>[] = [
    { "x-api-key": "a" },
    { Host: "a" },
    { A: "1", a: "2" },
    { "a b": "1" },
    { a: "\n" },
  ];
  const refusals = [
    ...[...urls, ...addresses].map((url) => () => readUpstreamUrl(url, allow)),
    ...headers.map((one) => () => checkHeaders(one)),
  ];
  for (const refusal of refusals) {
    const message = messageOf(refusal);
    expect(ruleText(t, message)).not.toBe(message);
    expect(ruleText(zh, message)).toMatch(/\p{Script=Han}/u);
  }
});
