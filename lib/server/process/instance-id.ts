import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../../errors";

/**
 * Identifies where a PID is unique: within one boot of the kernel and one PID namespace (namespaces(7)), because every
 * container has a PID 1. Empty where there is no /proc.
 */
function pidSpace(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8") + readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** A short ID that is the same for every process of this machine, or of this container. */
function machine(): string {
  return createHash("sha256").update(hostname()).update(pidSpace()).digest("hex").slice(0, 8);
}

/** When the process started, in ticks since boot (proc(5), field 22 of `stat`); null where there is no /proc. */
function startTicks(pid: number | "self"): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; what follows it does not.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** A new ID for this process, with which other processes can check whether it still runs. */
export function makeInstanceId(): string {
  return [machine(), process.pid, startTicks("self") ?? "0", randomBytes(6).toString("hex")].join("-");
}

/** For the operator: `process 4711 of this machine`; another machine is shown as its short ID. */
export function describeInstance(instanceId: string): string {
  const [host = "", pid = ""] = instanceId.split("-");
  return host === machine() ? `process ${pid} of this machine` : `process ${pid} of the machine ${host}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

/**
 * `unknown` for an instance of another machine or container, and where the PID may belong to a later process by now.
 */
function stateOf(instanceId: string): "running" | "gone" | "unknown" {
  const [host, pidText = "", ticks] = instanceId.split("-");
  const pid = Number(pidText);
  if (host !== machine() || !Number.isSafeInteger(pid) || pid <= 0) return "unknown";
  if (!isRunning(pid)) return "gone";
  const now = startTicks(pid);
  if (now === null || ticks === "0") return "unknown";
  return now === ticks ? "running" : "gone";
}

/**
 * True when that instance has certainly ended: it was a process of this machine that is gone, or its PID now belongs to
 * another process. False when unknown, as for another container.
 */
export function isGone(instanceId: string): boolean {
  return stateOf(instanceId) === "gone";
}

/** True when that instance is certainly running, on this machine. */
export function isAlive(instanceId: string): boolean {
  return stateOf(instanceId) === "running";
}
