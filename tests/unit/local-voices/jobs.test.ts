import { mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  listJobs,
  type RunningJob,
  startJob,
  sweepLeftovers,
} from "../../../lib/providers/local-voices/jobs";
import { SYSTEM_CLOCK } from "../../support/factories";

const NEVER = new AbortController().signal;
const MINUTE_AGO = () => new Date(Date.now() - 60_000);

let directory: string;
let running: RunningJob[];
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "patchbay-jobs-"));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((job) => job.end(null)));
  await rm(directory, { recursive: true });
});

const file = (name: string) => path.join(directory, name);
async function start(): Promise<RunningJob> {
  const job = await startJob(directory, "tiny", SYSTEM_CLOCK, NEVER);
  running.push(job);
  return job;
}
const states = async () => (await listJobs(directory, Date.now())).map(({ state }) => state);

describe.each([
  ["is empty", ""],
  ["is cut", '{"stage":"down'],
])("a job whose file %s", (_, content) => {
  beforeEach(async () => {
    await writeFile(file(".install-tiny.json"), content);
    await mkdir(file(".unpack-tiny"));
  });

  it("counts as running", async () => {
    expect(await states()).toEqual(["running"]);
    await expect(start()).rejects.toMatchObject({ code: "conflict" });
    await sweepLeftovers(directory, Date.now());
    expect(await readdir(directory)).toEqual([".install-tiny.json", ".unpack-tiny"]);
  });

  it("counts as interrupted once it is stale, and can be started again", async () => {
    await utimes(file(".install-tiny.json"), MINUTE_AGO(), MINUTE_AGO());
    expect(await states()).toEqual(["interrupted"]);
    await sweepLeftovers(directory, Date.now());
    expect(await readdir(directory)).toEqual([".install-tiny.json"]);
    await start();
    expect(await states()).toEqual(["running"]);
  });
});

it("a job of a server whose clock differs counts as running, and its files are not swept", async () => {
  await start();
  await mkdir(file(".unpack-tiny"));
  await writeFile(file(".takeover-other"), "");
  const now = Date.now() + 60_000;
  expect(await listJobs(directory, now)).toMatchObject([{ state: "running" }]);
  await sweepLeftovers(directory, now);
  expect(await readdir(directory)).toEqual([".install-tiny.json", ".takeover-other", ".unpack-tiny"]);
});

it("an ended job is started again by one of many concurrent starters", async () => {
  await writeFile(file(".install-tiny.json"), '{"stage":"download","done":0,"total":null,"error":"failed"}');
  const starts = await Promise.allSettled(Array.from({ length: 20 }, start));
  expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await states()).toEqual(["running"]);
  expect(await readdir(directory)).toEqual([".install-tiny.json"]);
});

it("a job never shows a part of its state to a reader", async () => {
  const job = await start();
  const before = await open(file(".install-tiny.json"), "r");
  job.onProgress({ stage: "unpack", done: 5, total: null });
  await expect.poll(() => listJobs(directory, Date.now())).toMatchObject([{ done: 5 }]);
  expect(JSON.parse(await before.readFile("utf8"))).toMatchObject({ stage: "download", done: 0 });
  await before.close();
});

it("a start is blocked by the lock of a killed starter only until the lock is swept", async () => {
  await writeFile(file(".install-tiny.json"), '{"stage":"download","done":0,"total":null,"error":"failed"}');
  await writeFile(file(".takeover-tiny"), "");
  await expect(start()).rejects.toMatchObject({ code: "conflict" });
  await sweepLeftovers(directory, Date.now());
  await expect(start()).rejects.toMatchObject({ code: "conflict" });
  await utimes(file(".takeover-tiny"), MINUTE_AGO(), MINUTE_AGO());
  await sweepLeftovers(directory, Date.now());
  await start();
});

it("a job is ended by a request to cancel it, and not by one to cancel an earlier job", async () => {
  await writeFile(file(".cancel-tiny"), "");
  await utimes(file(".cancel-tiny"), MINUTE_AGO(), MINUTE_AGO());
  const { signal } = await start();
  const written = async () => (await stat(file(".install-tiny.json"))).mtimeMs;
  const before = await written();
  await expect.poll(written, { timeout: 5_000 }).toBeGreaterThan(before);
  expect(signal.aborted).toBe(false);
  await writeFile(file(".cancel-tiny"), "");
  await expect.poll(() => signal.aborted, { timeout: 5_000 }).toBe(true);
});

it("a job that was taken over while its process did not run leaves the record to the new one", async () => {
  const suspended = await start();
  await utimes(file(".install-tiny.json"), MINUTE_AGO(), MINUTE_AGO());
  const next = await start();
  await expect.poll(() => suspended.signal.aborted, { timeout: 5_000 }).toBe(true);
  await suspended.end("The installation failed.");
  expect(await listJobs(directory, Date.now())).toMatchObject([{ state: "running", error: null }]);
  expect(next.signal.aborted).toBe(false);
});

it("a request to cancel a job that has already ended is swept", async () => {
  await writeFile(file(".cancel-tiny"), "");
  await sweepLeftovers(directory, Date.now());
  expect(await readdir(directory)).toEqual([".cancel-tiny"]);
  await utimes(file(".cancel-tiny"), MINUTE_AGO(), MINUTE_AGO());
  await sweepLeftovers(directory, Date.now());
  expect(await readdir(directory)).toEqual([]);
});
