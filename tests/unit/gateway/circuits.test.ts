import { expect, test } from "vitest";
import { channelHealth, createCircuits } from "@/lib/domain/gateway/circuits";
import { AppError } from "@/lib/errors";
import { StillClock } from "../../support/gateway-door";

const broken = () => new AppError("upstream_error", "It failed.");

function open(clock = new StillClock()) {
  const changes: string[] = [];
  const circuits = createCircuits(clock, (place, health) => changes.push(`${place} ${health.state}`));
  return { clock, circuits, changes };
}

test("half of twenty calls failing opens the circuit, though never five in a row", () => {
  const { circuits } = open();
  for (let call = 0; call < 20; call++) {
    expect(circuits.isOpen("a")).toBe(false);
    const pass = circuits.enter("a");
    if (call % 2 === 1) pass.failed(broken());
    else pass.succeeded();
  }
  expect(circuits.health("a")).toMatchObject({ state: "open", reason: "error_rate", waitMs: 30_000 });
});

test("failures of an earlier ten seconds do not count", () => {
  const { circuits, clock } = open();
  for (let call = 0; call < 36; call++) {
    const pass = circuits.enter("a");
    if (call % 2 === 1) pass.failed(broken());
    else pass.succeeded();
    clock.at += 1_000;
  }
  expect(circuits.isOpen("a")).toBe(false);
});

test("one probe alone goes through a half-open circuit", () => {
  const { circuits, clock, changes } = open();
  for (let call = 0; call < 5; call++) circuits.enter("a").failed(broken());
  clock.at += 29_999;
  expect(circuits.isOpen("a")).toBe(true);
  clock.at += 1;
  expect(circuits.isOpen("a")).toBe(false);
  const probe = circuits.enter("a");
  expect(circuits.isOpen("a")).toBe(true);
  probe.answered();
  expect(circuits.isOpen("a")).toBe(false);
  expect(changes).toEqual(["a open", "a closed"]);
});

test("a probe that its caller gives up frees the place for the next", () => {
  const { circuits, clock } = open();
  for (let call = 0; call < 5; call++) circuits.enter("a").failed(broken());
  clock.at += 30_000;
  circuits.enter("a").unused();
  expect(circuits.isOpen("a")).toBe(false);
  circuits.enter("a").failed(broken());
  expect(circuits.health("a").waitMs).toBe(30_000);
});

test.each([
  [undefined, 1_000],
  [0, 1_000],
  [45_000, 45_000],
  [1e12, 120_000],
])("a rate limit with Retry-After %s ms holds the place for %s ms", (retryAfterMs, waitMs) => {
  const { circuits } = open();
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  circuits.enter("a").failed(new AppError("upstream_rate_limited", "Full.", details));
  expect(circuits.health("a")).toMatchObject({ reason: "rate_limited", waitMs });
});

test.each([
  [401, "credentials"],
  [403, "credentials"],
  [402, "account"],
])("an upstream's %s opens at once and says why", (upstreamStatus, reason) => {
  const { circuits } = open();
  circuits.enter("a").failed(new AppError("upstream_error", "No.", { upstreamStatus }));
  expect(circuits.health("a")).toMatchObject({ state: "open", reason });
});

test("one fault that many callers share counts once", () => {
  const { circuits } = open();
  const shared = broken();
  for (const pass of Array.from({ length: 10 }, () => circuits.enter("a"))) pass.failed(shared);
  expect(circuits.isOpen("a")).toBe(false);
});

test("a channel is as well as its best key", () => {
  const { circuits } = open();
  const channel = { id: "c", keys: ["k1", "k2"].map((id) => ({ id, sealed: "", display: "" })) };
  circuits.enter("c/k1").failed(new AppError("upstream_error", "No.", { upstreamStatus: 401 }));
  expect(channelHealth(circuits, channel).state).toBe("closed");
  circuits.enter("c/k2").failed(new AppError("upstream_rate_limited", "Full.", { retryAfterMs: 5_000 }));
  expect(channelHealth(circuits, channel)).toMatchObject({ state: "open", reason: "rate_limited" });
  circuits.close("c/k1");
  expect(channelHealth(circuits, channel).state).toBe("closed");
});
