import { afterEach, beforeEach, expect, test } from "vitest";
import type { InstanceReport } from "../../lib/ports/store";
import { createInstanceRegister } from "../../lib/server/process/register";
import { addUser, type ConsoleHarness, openConsoleHarness, setUpOwner } from "../support/console-harness";
import { type TestServices, testServices } from "../support/services";
import { openStoreIn } from "../support/store-pool";

let services: TestServices;
let harness: ConsoleHarness;
let owner: string;

beforeEach(async () => {
  services = await testServices();
  harness = openConsoleHarness(services);
  owner = await setUpOwner(harness);
});
afterEach(() => services.close());

const list = async () => (await harness("/api/instances", { cookie: owner })).json.data.items;

const REPORT: InstanceReport = {
  server: "srv_other",
  host: "kitchen",
  address: "192.0.2.7:3000",
  version: "9.9.9",
  pid: 4711,
  startedAt: Date.parse("2025-11-20T08:00:00Z"),
  isDraining: false,
  inFlight: 2,
  requestsPerMinute: 90,
  cpuPercent: 130,
  memoryBytes: 200_000_000,
  changeLagMs: 12,
};

test("an instance reports its load, and the requests since its previous heartbeat", async () => {
  const traffic = { inFlight: 3, total: 100, address: "192.0.2.1:3000" };
  const register = createInstanceRegister({ ...services, traffic: () => traffic });
  await register.beat();
  services.clock.advance(5_000);
  traffic.total += 40;
  await register.beat();
  expect(await list()).toEqual([
    expect.objectContaining({
      current: true,
      state: "running",
      version: services.instance.version,
      address: "192.0.2.1:3000",
      pid: process.pid,
      in_flight: 3,
      requests_per_second: 8,
    }),
  ]);
  services.instance.draining = true;
  await register.beat();
  expect((await list())[0].state).toBe("draining");
});

test("lists the instances of all servers, marks one without a heartbeat as late and drops it after 30 s", async () => {
  const other = await openStoreIn(services.dataDirectory, services.clock);
  await other.ledger.heartbeat(services.clock.now(), REPORT);
  const register = createInstanceRegister({
    ...services,
    traffic: () => ({ inFlight: 0, total: 0, address: "192.0.2.1:3000" }),
  });
  await register.beat();
  expect(register.liveInstances()).toBe(2);
  expect(await list()).toEqual([
    {
      id: expect.any(String),
      server_id: "srv_other",
      host: "kitchen",
      address: "192.0.2.7:3000",
      pid: 4711,
      version: "9.9.9",
      started_at: "2025-11-20T08:00:00.000Z",
      heartbeat_at: new Date(services.clock.now()).toISOString(),
      state: "running",
      current: false,
      in_flight: 2,
      requests_per_second: 1.5,
      cpu_percent: 130,
      memory_bytes: 200_000_000,
      change_lag_ms: 12,
    },
    expect.objectContaining({ current: true }),
  ]);
  services.clock.advance(13_000);
  await register.beat();
  expect((await list()).map((item: { state: string }) => item.state)).toEqual(["late", "running"]);
  services.clock.advance(18_000);
  await register.beat();
  expect(await list()).toHaveLength(1);
  expect(register.liveInstances()).toBe(1);
  await other.close();
});

test("administrators can list the instances; members and anonymous callers cannot", async () => {
  const admin = await addUser(harness, owner, { username: "ada", role: "admin" });
  const member = await addUser(harness, owner, { username: "mia" });
  expect((await harness("/api/instances", { cookie: admin.cookie })).status).toBe(200);
  expect((await harness("/api/instances", { cookie: member.cookie })).status).toBe(403);
  expect((await harness("/api/instances")).status).toBe(401);
});
