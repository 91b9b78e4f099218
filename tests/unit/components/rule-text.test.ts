import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import { ruleText } from "../../../components/forms/rule-text";
import { LIMIT_RULES } from "../../../lib/contracts/limits";
import { common } from "../../../lib/messages/en/common";

const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });

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
