import { describe, expect, test } from "vitest";
import { fieldName, readAuditDetail } from "../../../components/audit/audit-detail";
import { usd } from "../../../components/audit/audit-money";
import { auditQuery } from "../../../components/audit/use-audit";

describe("what a row says", () => {
  test("a field is named as the API names it, an id as it is", () => {
    expect(fieldName("budget.dailyNano")).toBe("budget.daily");
    expect(fieldName("limits.jsonBodyBytes")).toBe("limits.json_body_bytes");
    expect(fieldName("chn_5NilO1FYeIX0123456789A")).toBe("chn_5NilO1FYeIX0123456789A");
  });

  test("before and after are told field by field, the same ones not at all", () => {
    const { changes } = readAuditDetail({
      before: { name: "robot", rpm: null, budget: { dailyNano: 1, totalNano: 5 }, operations: ["speech"] },
      after: { name: "robot", rpm: 60, budget: { dailyNano: 2, totalNano: 5 }, operations: ["speech"] },
    });
    expect(changes).toEqual([
      { field: "rpm", before: null, after: 60 },
      { field: "budget.dailyNano", before: 1, after: 2 },
    ]);
  });

  test("a change names what was sent; what it does not name has stayed", () => {
    const { changes } = readAuditDetail({
      before: { demo_site: false, alerts: { budgets: true, webhook_url: null } },
      change: { alerts: { budgets: true, webhook_url: "https://x.example" } },
    });
    expect(changes).toEqual([{ field: "alerts.webhook_url", before: null, after: "https://x.example" }]);
  });

  test("where nothing changed the rest are facts, and who called is told apart", () => {
    expect(
      readAuditDetail({ factor: "password", address: "10.0.0.1", request: "r-1", done: { keys: 3 } }),
    ).toEqual({
      changes: [],
      facts: [
        { field: "factor", value: "password" },
        { field: "done.keys", value: 3 },
      ],
      address: "10.0.0.1",
      request: "r-1",
      key: null,
    });
  });
});

describe("what the address asks for", () => {
  const ask = (text: string) => auditQuery(new URLSearchParams(text), Date.UTC(2026, 10, 21));

  test("nothing asks for everything", () => expect(ask("")).toBe(""));

  test("a group is its actions, a time ends now, and one letter is no search", () => {
    expect(ask("q=a&what=keys&time=24h&actor=usr_1")).toBe(
      "?actor=usr_1&action=key&from=2026-11-20T00%3A00%3A00.000Z",
    );
  });

  test("days are whole days of the visitor's own calendar", () => {
    const query = new URLSearchParams(ask("time=days&from=2026-11-01&to=2026-11-02"));
    const [from, to] = [query.get("from"), query.get("to")].map((one) => Date.parse(one ?? ""));
    expect((to ?? 0) - (from ?? 0)).toBe(2 * 86_400_000);
  });

  test("what is no filter is left out", () => expect(ask("what=everything&time=9y&from=now")).toBe(""));
});

test.each([
  [2_500_000_000, "$2.50"],
  [1, "$0.000000001"],
  [0, "$0.00"],
])("%d nano-dollars are %s", (nano, dollars) => expect(usd(nano)).toBe(dollars));
