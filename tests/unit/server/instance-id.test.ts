import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isAlive, isGone, makeInstanceId } from "../../../lib/server/process/instance-id";

/** Above Linux' highest process number. */
const NO_PROCESS = 2 ** 22 + 1;

test("a process of this machine that ended is gone, one that runs is not", () => {
  const own = makeInstanceId();
  const [machine, pid, ticks] = own.split("-");
  expect([isGone(own), isAlive(own)]).toEqual([false, ticks !== "0"]);
  // The start time is unknown without /proc.
  expect(isGone(`${machine}-${pid}-${Number(ticks) + 1}-a`)).toBe(ticks !== "0");
  expect(isAlive(`${machine}-${pid}-${Number(ticks) + 1}-a`)).toBe(false);
  expect(isGone(`${machine}-${NO_PROCESS}-${ticks}-a`)).toBe(true);
  expect(isAlive(`${machine}-${NO_PROCESS}-${ticks}-a`)).toBe(false);
});

const [boot, namespace] = ((): [string, string] => {
  try {
    return [readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), readlinkSync("/proc/self/ns/pid")];
  } catch {
    return ["", ""];
  }
})();

test.each([
  ["a container with the same host name", boot, "pid:[4026532999]"],
  ["another machine with the same host name", "00000000-0000-4000-8000-000000000000\n", namespace],
  ["an ID without the boot", "", namespace],
  ["an ID without the namespace", boot, ""],
])("a process of %s is not known to be gone", (_where, otherBoot, otherNamespace) => {
  const digest = createHash("sha256").update(hostname() + otherBoot + otherNamespace);
  const id = `${digest.digest("hex").slice(0, 8)}-${NO_PROCESS}-1-a`;
  // Without /proc, the host name is all that an ID has.
  expect(isGone(id)).toBe(boot === otherBoot && namespace === otherNamespace);
});
