import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isGone, makeInstanceId } from "../../../lib/server/process/instance-id";

/** Above Linux' highest process number. */
const NO_PROCESS = 2 ** 22 + 1;

test("a process of this machine that ended is gone, one that runs is not", () => {
  const own = makeInstanceId();
  const [machine, pid, ticks] = own.split("-");
  expect(isGone(own)).toBe(false);
  // The start time is unknown without /proc.
  expect(isGone(`${machine}-${pid}-${Number(ticks) + 1}-a`)).toBe(ticks !== "0");
  expect(isGone(`${machine}-${NO_PROCESS}-${ticks}-a`)).toBe(true);
});

test("a process of a container with the same host name is not known to be gone", () => {
  const idOf = (namespace: string) => {
    const machine = createHash("sha256").update(hostname()).update(namespace).digest("hex").slice(0, 8);
    return `${machine}-${NO_PROCESS}-1-a`;
  };
  expect(isGone(idOf("pid:[4026532999]"))).toBe(false);
});
