import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import { en } from "@/lib/messages/en";
import { zh } from "@/lib/messages/zh";

const english = createTranslator({ locale: "en", messages: en });
const chinese = createTranslator({ locale: "zh", messages: zh });

test("a breakdown names one other item in the singular", () => {
  expect(english("usage.by.others", { count: 1 })).toBe("1 other");
  expect(english("usage.by.others", { count: 2 })).toBe("2 others");
});

test("a missing end of the audit log is one row or a range of rows", () => {
  const one = { count: 1, from: "5", to: "5" };
  expect(english("audit.chain.cutOff", one)).toBe("Row 5 is missing at the end");
  expect(chinese("audit.chain.cutOff", one)).toBe("末尾缺少第 5 条记录");
  expect(english("audit.chain.cutOff", { count: 3, from: "5", to: "7" })).toBe(
    "Rows 5 to 7 are missing at the end",
  );
});

test("a model with one attempt per request does not promise two", () => {
  expect(chinese("models.route.attempts", { count: 1, channels: 1 })).toBe("每个请求只尝试一次。");
  expect(english("models.route.attempts", { count: 1, channels: 1 })).toBe("One attempt per request.");
});
