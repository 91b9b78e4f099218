import { describe, expect, test, vi } from "vitest";
import { fieldName, readAuditDetail } from "../../../components/audit/audit-detail";
import { auditQuery } from "../../../components/audit/use-audit";

describe("the detail of an audit row", () => {
  test("names fields as the API does and leaves IDs unchanged", () => {
    expect(fieldName("budget.dailyNano")).toBe("budget.daily");
    expect(fieldName("limits.jsonBodyBytes")).toBe("limits.json_body_bytes");
    expect(fieldName("chn_5NilO1FYeIX0123456789A")).toBe("chn_5NilO1FYeIX0123456789A");
  });

  test("lists changed fields with before and after, without unchanged ones", () => {
    const { changes } = readAuditDetail({
      before: { name: "robot", rpm: null, budget: { dailyNano: 1, totalNano: 5 }, operations: ["speech"] },
      after: { name: "robot", rpm: 60, budget: { dailyNano: 2, totalNano: 5 }, operations: ["speech"] },
    });
    expect(changes).toEqual([
      { field: "rpm", before: null, after: 60 },
      { field: "budget.dailyNano", before: 1, after: 2 },
    ]);
  });

  test("lists no field that a partial change leaves out", () => {
    const { changes } = readAuditDetail({
      before: { demo_site: false, alerts: { budgets: true, webhook_url: null } },
      change: { alerts: { budgets: true, webhook_url: "https://x.example" } },
    });
    expect(changes).toEqual([{ field: "alerts.webhook_url", before: null, after: "https://x.example" }]);
  });

  test("lists other values as facts, apart from address, request and key", () => {
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

describe("the query from the page's URL", () => {
  const queryOf = (text: string) => auditQuery(new URLSearchParams(text), Date.UTC(2026, 10, 21));

  test("is empty without filters", () => expect(queryOf("")).toEqual({}));

  test("expands a group to its actions and a period to a start time, and ignores a one-letter search", () => {
    expect(queryOf("q=a&what=keys&time=24h&actor=usr_1")).toEqual({
      actor: "usr_1",
      action: "key",
      from: "2026-11-20T00:00:00.000Z",
    });
  });

  test("covers whole days in the browser's time zone", () => {
    // In New York the clocks go back on the first of these days.
    vi.stubEnv("TZ", "America/New_York");
    const { from, to } = queryOf("time=days&from=2026-11-01&to=2026-11-02");
    expect([from, to]).toEqual(["2026-11-01T04:00:00.000Z", "2026-11-03T05:00:00.000Z"]);
  });

  test("ignores unknown filter values", () =>
    expect(queryOf("what=everything&time=9y&from=now")).toEqual({}));
});
