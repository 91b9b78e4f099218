import type { ChildProcess, SendHandle } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { ProvidersOfProcess } from "../../../lib/providers/registry";
import { ClusterPrimary, nextRestart } from "../../../lib/server/process/cluster-primary";
import { closeUnanswered } from "../../../lib/server/process/unanswered-connection";
import { watchProcess } from "../../../lib/server/process/watchdog";

afterEach(() => {
  vi.useRealTimers();
});

/** The restart delays of processes that each lived this long, in milliseconds. */
function delaysOf(lives: readonly number[], isLast = false): number[] {
  let failures = 0;
  return lives.map((livedMs) => {
    const next = nextRestart(failures, livedMs, isLast);
    failures = next.failures;
    return next.delayMs;
  });
}

test("a crash loop is restarted after delays that double from 100 ms to 10 s", () => {
  expect(delaysOf(Array(9).fill(50))).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  expect(delaysOf(Array(2_000).fill(50)).at(-1)).toBe(10_000);
});

test("the last process is restarted within a second", () => {
  expect(delaysOf(Array(6).fill(50), true)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test("a process that lived more than ten seconds is restarted after 100 ms", () => {
  expect(delaysOf([50, 50, 50, 10_000, 10_001, 50])).toEqual([100, 200, 400, 800, 100, 200]);
});

test.each([
  ["closes the connection that a process had not answered when it exited", "newconn", undefined, true],
  ["keeps a connection that a process accepted", "newconn", true, false],
  ["keeps a connection that a process passed on before it exited", "newconn", false, false],
  ["keeps the listening socket that a process was given", "listening", undefined, false],
])("%s", (_name, act, accepted, isClosed) => {
  const child = Object.assign(new EventEmitter(), { send: () => true }) as unknown as ChildProcess;
  closeUnanswered(child);
  let closed = false;
  const close = () => {
    closed = true;
  };
  child.send({ act }, { close } as unknown as SendHandle);
  child.send({ kind: "announce" });
  child.emit("internalMessage", { accepted });
  child.emit("exit", null, "SIGKILL");
  expect(closed).toBe(isClosed);
});

/** A watchdog with a fake clock; `answers`: whether the process answers a question. */
function watched(answers: () => boolean) {
  vi.useFakeTimers();
  const worker = new EventEmitter();
  const ask = vi.fn(() => {
    if (answers()) worker.emit("message", { kind: "alive" });
  });
  const stuck = vi.fn();
  watchProcess(worker, { ask, stuck });
  return { ask, stuck, worker };
}

test("a process that answers is asked every five seconds and never called stuck", () => {
  const { ask, stuck } = watched(() => true);
  vi.advanceTimersByTime(600_000);
  expect([ask.mock.calls.length, stuck.mock.calls.length]).toEqual([120, 0]);
});

test("a process that exited is neither asked nor called stuck, and leaves no timer", () => {
  const { ask, stuck, worker } = watched(() => false);
  vi.advanceTimersByTime(20_000);
  worker.emit("exit", null, "SIGKILL");
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(600_000);
  expect([ask.mock.calls.length, stuck.mock.calls.length]).toEqual([4, 0]);
});

test("a process that leaves six questions in a row unanswered is called stuck once", () => {
  let asked = 0;
  const { stuck } = watched(() => {
    asked += 1;
    return asked === 6;
  });
  // The process answers only the sixth question; the next six stay unanswered.
  vi.advanceTimersByTime(60_000);
  expect(stuck).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(stuck).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(600_000);
  expect([asked, stuck.mock.calls.length]).toEqual([12, 1]);
});

test("only a replacement is killed when it does not serve within five minutes, and the next one may serve", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-cluster-"));
  const [file, hang] = [path.join(folder, "member.mjs"), path.join(folder, "hang")];
  writeFileSync(
    file,
    `import { existsSync } from "node:fs";
    process.on("message", ({ kind }) => kind === "stop" && process.exit(0));
    const serve = () => process.send({ kind: "ready", setupToken: null });
    const timer = setInterval(() => existsSync(${JSON.stringify(hang)}) || (clearInterval(timer), serve()), 20);`,
  );
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  const primary = new ClusterPrimary({
    file,
    processes: 1,
    drainMs: 1_000,
    clock: { now: Date.now, monotonic: () => performance.now() },
    log: { info: log, warn: log, error: log },
    engines: { close: async () => undefined } as unknown as ProvidersOfProcess,
  });
  onTestFinished(async () => {
    await primary.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(hang, "");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const starting = primary.start();
  await vi.advanceTimersByTimeAsync(600_000);
  rmSync(hang);
  await starting;
  expect(logged).toEqual([]);
  writeFileSync(hang, "");
  const replacing = primary.replaceAll();
  await vi.advanceTimersByTimeAsync(299_000);
  expect(logged).toEqual(["replacing_processes"]);
  await vi.advanceTimersByTimeAsync(1_000);
  await replacing;
  expect(logged.splice(0)).toEqual(["replacing_processes", "process_stuck", "replacing_failed"]);
  rmSync(hang);
  await primary.replaceAll();
  await vi.advanceTimersByTimeAsync(600_000);
  vi.useRealTimers();
  expect(logged).toEqual(["replacing_processes", "replaced_processes"]);
});
