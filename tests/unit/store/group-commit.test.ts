import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../lib/ports/clock";
import { storageUnavailable, translated, unsent } from "../../../lib/store/errors";
import { GroupCommit, LOCK_WAIT_MS } from "../../../lib/store/ledger/group-commit";
import type { CommitGroup, LedgerOperation } from "../../../lib/store/ledger/operations";
import { toCells } from "../../../lib/store/ledger/rows";
import { SILENT } from "../../../lib/store/options";
import { PERIOD, SYSTEM_CLOCK, usageRecord } from "../../support/factories";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const operation = (id: string): LedgerOperation => ({ kind: "settle", row: [id], onlyOpen: false });

let opened: GroupCommit[] = [];
// An open one would keep writing corrections during the tests of other files in this process.
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  opened = [];
});

function openCommits(...options: ConstructorParameters<typeof GroupCommit>): GroupCommit {
  const commits = new GroupCommit(...options);
  opened.push(commits);
  return commits;
}

/** A group commit that records the size of each group. */
function openRecorded(clock: Clock) {
  const groups: number[] = [];
  const commit: CommitGroup = async (operations) => {
    groups.push(operations.length);
    return operations.map(() => "done");
  };
  return { commits: openCommits(commit, clock, SILENT), groups };
}

test("commits a single operation after one turn of the event loop", async () => {
  const { commits, groups } = openRecorded(SYSTEM_CLOCK);
  const added = commits.add(operation("a"));
  expect(groups).toEqual([]);
  await turn();
  expect(groups).toEqual([1]);
  expect(await added).toBe("done");
});

/** Adds two operations in each of five turns, and waits for all of them. */
async function addTen(commits: GroupCommit, onTurn: () => void): Promise<void> {
  const added: Promise<unknown>[] = [];
  for (let index = 0; index < 5; index++) {
    added.push(commits.add(operation(`a${index}`)), commits.add(operation(`b${index}`)));
    await turn();
    onTurn();
  }
  await Promise.all(added);
}

test("collects operations as long as every turn of the event loop adds some", async () => {
  const { commits, groups } = openRecorded({ ...SYSTEM_CLOCK, monotonic: () => 0 });
  await addTen(commits, () => undefined);
  expect(groups).toEqual([10]);
});

test("closes a group after 3 ms, even if every turn adds operations", async () => {
  let now = 0;
  const { commits, groups } = openRecorded({ ...SYSTEM_CLOCK, monotonic: () => now });
  await addTen(commits, () => {
    now += 1;
  });
  expect(groups).toEqual([8, 2]);
});

test("commits the others of a group in which PostgreSQL finds one damaged row", async () => {
  const damaged = Object.assign(new Error("invalid page in block 7"), { code: "XX001", severity: "ERROR" });
  const commit: CommitGroup = async (operations) => {
    if (operations.some((one) => one.kind === "settle" && one.row[0] === "bad")) throw translated(damaged);
    return operations.map(() => "done");
  };
  const commits = openCommits(commit, SYSTEM_CLOCK, SILENT);
  const outcomes = await Promise.allSettled(["a", "bad", "b"].map((id) => commits.add(operation(id))));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a failed settlement of an orphan does not replace the correction of its call", async () => {
  let isDown = true;
  const written: LedgerOperation[] = [];
  const commit: CommitGroup = async (operations) => {
    if (isDown) throw storageUnavailable();
    written.push(...operations);
    return operations.map(() => "done");
  };
  const commits = openCommits(commit, SYSTEM_CLOCK, SILENT);
  const row = toCells(usageRecord("key_1", "usr_1", { id: "a" }), "settled", "self", PERIOD);
  await expect(commits.add({ kind: "settle", row, onlyOpen: false })).rejects.toThrow();
  await expect(commits.add({ kind: "settle", row, onlyOpen: true })).rejects.toThrow();
  isDown = false;
  await commits.close();
  expect(written.map((one) => one.kind)).toEqual(["correct"]);
});

test.each([
  // A correction behind a locked entry does not wait for the lock.
  ["is locked", Object.assign(new Error("lock"), { code: "55P03" }), ["bad is lost", "good is written"]],
  ["cannot be reached", undefined, ["good is written", "bad is lost"]],
])("keeps the correction beside a damaged row when the store %s meanwhile", async (_state, cause, events) => {
  const damaged = translated(
    Object.assign(new Error("invalid page in block 7"), { code: "XX001", severity: "ERROR" }),
  );
  const answers = [storageUnavailable(), damaged, storageUnavailable(cause)];
  const seen: string[] = [];
  const commit: CommitGroup = async (operations) => {
    const error = answers.shift();
    if (error !== undefined) throw error;
    if (operations.some(({ row }) => row[0] === "bad")) throw damaged;
    seen.push(...operations.map(({ row }) => `${row[0]} is written`));
    return operations.map(() => "done");
  };
  const log = {
    ...SILENT,
    error: (_event: string, fields?: Record<string, unknown>) => seen.push(`${fields?.usage} is lost`),
  };
  const commits = openCommits(commit, SYSTEM_CLOCK, log);
  await Promise.allSettled(
    ["good", "bad"].map((id) => {
      const row = toCells(usageRecord("key_1", "usr_1", { id }), "settled", "self", PERIOD);
      return commits.add({ kind: "settle", row, onlyOpen: false });
    }),
  );
  await expect.poll(() => seen).toEqual(events);
  await commits.close();
});

describe("corrections of an outage", () => {
  const ROW = toCells(usageRecord("key_1", "usr_1"), "settled", "self", PERIOD);
  const rowOf = (id: string) => [id, ...ROW.slice(1)];
  const settlement = (id: string): LedgerOperation => ({ kind: "settle", row: rowOf(id), onlyOpen: false });
  const BUDGET = { dailyNano: null, monthlyNano: null, totalNano: null };
  const reservation = (id: string): LedgerOperation => ({
    kind: "reserve",
    row: rowOf(id),
    keyBudget: BUDGET,
    userBudget: BUDGET,
  });

  /** A store that is down, with an error, until `recover`. Records each group; a group takes 5 ms. */
  function openDown(error: () => unknown, log = SILENT) {
    const groups: LedgerOperation[][] = [];
    let isDown = true;
    const commit: CommitGroup = async (operations) => {
      if (isDown) throw error();
      await new Promise((resolve) => setTimeout(resolve, 5));
      groups.push(operations);
      return operations.map(() => "done");
    };
    const commits = openCommits(commit, SYSTEM_CLOCK, log);
    const recover = () => {
      isDown = false;
    };
    const written = () => groups.flat().map(({ kind, row }) => `${kind} ${row[0]}`);
    return { commits, groups, recover, written };
  }

  const failed = (commits: GroupCommit, operations: LedgerOperation[]) =>
    Promise.allSettled(operations.map((one) => commits.add(one)));

  test("are written one group at a time, between the groups of new calls", async () => {
    const { commits, groups, recover } = openDown(storageUnavailable);
    await failed(
      commits,
      Array.from({ length: 2_000 }, (_, index) => settlement(`old ${index}`)),
    );
    recover();
    await expect.poll(() => groups.length, { interval: 1 }).toBeGreaterThan(0);
    const before = groups.length;
    await commits.add(settlement("new"));
    // At most the batch that was being written came first.
    expect(groups.length - before).toBeLessThanOrEqual(2);
    await commits.close();
    expect(groups.flat()).toHaveLength(2_001);
  });

  test("that are locked delay neither other corrections nor new calls nor the close", async () => {
    const locked = storageUnavailable(Object.assign(new Error("lock"), { code: "55P03" }));
    const waits: number[] = [];
    const written: unknown[] = [];
    const errors: unknown[] = [];
    let isDown = true;
    const commit: CommitGroup = async (operations, lockMs) => {
      if (isDown) throw storageUnavailable();
      if (operations.some(({ row }) => row[0] === "old 3")) {
        waits.push(lockMs);
        throw locked;
      }
      written.push(...operations.map(({ row }) => row[0]));
      return operations.map(() => "done");
    };
    const log = { ...SILENT, error: (_event: string, fields?: object) => errors.push(fields) };
    const commits = openCommits(commit, SYSTEM_CLOCK, log);
    await failed(
      commits,
      Array.from({ length: 1_100 }, (_, index) => settlement(`old ${index}`)),
    );
    isDown = false;
    await expect.poll(() => written.length, { timeout: 3_000 }).toBe(1_099);
    // Once in its group, then in each half that contains it.
    expect(waits.length).toBe(10);
    expect(Math.max(...waits)).toBeLessThanOrEqual(50);
    await commits.close();
    expect([written.length, errors]).toEqual([1_099, [{ rows: 1 }]]);
  });

  test("that are all locked delay new calls only for a moment", async () => {
    let isDown = true;
    let locks = 0;
    const commit: CommitGroup = async (operations, lockMs) => {
      if (isDown) throw storageUnavailable();
      if (!operations.some(({ kind }) => kind === "correct")) return operations.map(() => "done");
      locks += 1;
      // Waits as PostgreSQL does.
      await new Promise((resolve) => setTimeout(resolve, lockMs));
      throw storageUnavailable(Object.assign(new Error("lock"), { code: "55P03" }));
    };
    const commits = openCommits(commit, SYSTEM_CLOCK, SILENT);
    await failed(
      commits,
      Array.from({ length: 512 }, (_, index) => settlement(`old ${index}`)),
    );
    isDown = false;
    await expect.poll(() => locks, { interval: 5, timeout: 3_000 }).toBeGreaterThan(0);
    await commits.add(settlement("new"));
    // Halving the group down to single rows would take 1,023 locks.
    expect(locks).toBeLessThan(200);
    await commits.close();
  });

  test("are written even if new calls never pause", async () => {
    const { commits, recover, written } = openDown(storageUnavailable);
    await failed(commits, [settlement("old")]);
    recover();
    let isLoaded = true;
    const load = async (name: string) => {
      for (let index = 0; isLoaded; index++) await commits.add(settlement(`${name} ${index}`));
    };
    const loads = [load("a"), new Promise((resolve) => setTimeout(resolve, 3)).then(() => load("b"))];
    await expect.poll(written, { timeout: 3_000 }).toContain("correct old");
    isLoaded = false;
    await Promise.all(loads);
    await commits.close();
  });

  test("begin when a commit fails other than by a lock: the store is failing until a commit succeeds", async () => {
    let failure = storageUnavailable(Object.assign(new Error("lock"), { code: "55P03" }));
    const { commits, recover } = openDown(() => failure);
    await failed(commits, [reservation("locked")]);
    expect(commits.isFailing).toBe(false);
    failure = storageUnavailable();
    await failed(commits, [reservation("down")]);
    expect(commits.isFailing).toBe(true);
    recover();
    await commits.add(reservation("up"));
    expect(commits.isFailing).toBe(false);
    await commits.close();
  });

  test("that cannot be written before the close are counted in the log", async () => {
    const lost: unknown[] = [];
    const log = { ...SILENT, error: (...entry: unknown[]) => lost.push(entry) };
    const { commits } = openDown(storageUnavailable, log);
    await failed(commits, [settlement("a"), settlement("b")]);
    await commits.close();
    expect(lost).toEqual([["ledger_lost", { rows: 2 }]]);
  });

  test("are attempted once more, not twice, by a close during a long commit", async () => {
    let attempts = 0;
    const commits = openCommits(
      async () => {
        attempts += 1;
        if (attempts === 2) await new Promise((resolve) => setTimeout(resolve, 1_300));
        throw storageUnavailable();
      },
      SYSTEM_CLOCK,
      SILENT,
    );
    await failed(commits, [settlement("a")]);
    const last = failed(commits, [settlement("b")]);
    await expect.poll(() => attempts).toBe(2);
    await commits.close();
    await last;
    expect(attempts).toBe(3);
  });

  test("are not made for a reservation of which no statement was sent", async () => {
    let failure = storageUnavailable();
    const { commits, recover, written } = openDown(() => failure);
    await failed(commits, [reservation("sent")]);
    // The first group takes 512; the others wait, and fail with it.
    const many = Array.from({ length: 513 }, (_, index) => reservation(`many ${index}`));
    await failed(commits, many);
    failure = unsent(new Error("connect ECONNREFUSED"));
    await failed(commits, [reservation("not connected"), settlement("answered")]);
    recover();
    await commits.close();
    const seen = written();
    expect(seen).toContain("cancel sent");
    expect(seen).toContain("cancel many 511");
    expect(seen).not.toContain("cancel many 512");
    expect(seen).not.toContain("cancel not connected");
    expect(seen).toContain("correct answered");
  });

  test("keep the input texts of a thousand calls at most", async () => {
    const { commits, groups, recover } = openDown(storageUnavailable);
    await failed(
      commits,
      Array.from({ length: 1_200 }, (_, index) => ({ ...settlement(`${index}`), prompt: "text" })),
    );
    recover();
    await commits.close();
    const all = groups.flat();
    expect(all).toHaveLength(1_200);
    expect(all.filter((one) => "prompt" in one)).toHaveLength(1_000);
  });
});

describe("while another transaction keeps the rows of some users locked", () => {
  const LOCK_TIMEOUT = "55P03";
  /** The time that a caller waits, plus one round of attempts that began before its end. */
  const FAILED_MS = LOCK_WAIT_MS + 400;
  const settlementOf = (user: string): LedgerOperation => ({
    kind: "settle",
    row: toCells(usageRecord(`key of ${user}`, user), "settled", "self", PERIOD),
    onlyOpen: false,
  });

  /** A group commit on a store that locks the rows of `locked`, like PostgreSQL, and takes 2 ms for a commit. */
  function openLocked(locked: ReadonlySet<string>) {
    const groups: number[] = [];
    const commit: CommitGroup = async (operations, lockMs) => {
      const isLocked = operations.some(({ row }) => locked.has(String(row[4])));
      await new Promise((resolve) => setTimeout(resolve, isLocked ? lockMs : 2));
      if (isLocked) throw storageUnavailable(Object.assign(new Error("lock"), { code: LOCK_TIMEOUT }));
      groups.push(operations.length);
      return operations.map(() => "done");
    };
    const commits = openCommits(commit, SYSTEM_CLOCK, SILENT);
    /** The outcome of a settlement of `user`, and the milliseconds until then. */
    const settle = async (user: string): Promise<[outcome: string, ms: number]> => {
      const since = performance.now();
      const outcome = await commits.add(settlementOf(user)).then(String, (error) => String(error.code));
      return [outcome, performance.now() - since];
    };
    return { commits, groups, settle };
  }

  test("fails only the operations of these users, each within its caller's time", async () => {
    const locked = new Set(["user 3", "user 17", "user 18"]);
    const { settle } = openLocked(locked);
    const users = Array.from({ length: 120 }, (_, index) => `user ${index % 40}`);
    const results = await Promise.all(users.map(async (user) => ({ user, result: await settle(user) })));
    for (const { user, result } of results) {
      const [outcome, ms] = result;
      expect([user, outcome]).toEqual([user, locked.has(user) ? "storage_unavailable" : "done"]);
      expect(ms).toBeLessThan(locked.has(user) ? FAILED_MS : LOCK_WAIT_MS);
    }
  });

  test("commits the operations of other users that arrive meanwhile", async () => {
    const { settle } = openLocked(new Set(["locked"]));
    const refused = [settle("locked")];
    const others: Promise<[string, number]>[] = [];
    for (let round = 0; round < 20; round++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      refused.push(settle("locked"));
      others.push(settle(`user ${round}`));
    }
    const times: number[] = [];
    for (const [outcome, ms] of await Promise.all(others)) {
      expect(outcome).toBe("done");
      times.push(ms);
    }
    // Only the first ones wait while the group finds out what is locked.
    expect(Math.max(...times)).toBeLessThan(LOCK_WAIT_MS);
    expect(Math.max(...times.slice(10))).toBeLessThan(400);
    for (const [outcome, ms] of await Promise.all(refused)) {
      expect(outcome).toBe("storage_unavailable");
      expect(ms).toBeGreaterThan(LOCK_WAIT_MS - 50);
      expect(ms).toBeLessThan(FAILED_MS);
    }
  });

  test("commits the operations of these users when the lock is released in time, and groups them again", async () => {
    const locked = new Set(["locked"]);
    const { settle, groups } = openLocked(locked);
    const waiting = Promise.all([settle("locked"), settle("other"), settle("locked")]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    locked.clear();
    expect((await waiting).map(([outcome]) => outcome)).toEqual(["done", "done", "done"]);
    groups.length = 0;
    await Promise.all([settle("locked"), settle("other"), settle("locked")]);
    expect(groups).toEqual([3]);
  });

  test("calls of one user on many instances take turns, also after a stall", async () => {
    const HOLD_MS = 60;
    const STALL_MS = 200;
    /** Grants the lock in the order of the requests; a request that waits for too long gives up its turn. */
    let waiting: (() => void)[] = [];
    let isHeld = false;
    const take = (lockMs: number) =>
      new Promise<boolean>((resolve) => {
        if (!isHeld) {
          isHeld = true;
          resolve(true);
          return;
        }
        const begin = (): void => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer = setTimeout(() => {
          waiting = waiting.filter((one) => one !== begin);
          resolve(false);
        }, lockMs);
        waiting.push(begin);
      });
    const give = (): void => {
      const next = waiting.shift();
      if (next === undefined) isHeld = false;
      else next();
    };
    const commit: CommitGroup = async (operations, lockMs) => {
      if (!(await take(lockMs)))
        throw storageUnavailable(Object.assign(new Error("lock"), { code: LOCK_TIMEOUT }));
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
      give();
      return operations.map(() => "done");
    };
    const instances = Array.from({ length: 6 }, () => openCommits(commit, SYSTEM_CLOCK, SILENT));
    await take(0);
    setTimeout(give, STALL_MS);
    const calls: Promise<unknown>[] = [];
    for (let round = 0; round < 60; round++) {
      for (const instance of instances) calls.push(instance.add(settlementOf("shared")));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["done"]));
  });

  test("a locked user with more operations than a group holds does not delay another user", async () => {
    const { settle } = openLocked(new Set(["locked"]));
    const refused = Array.from({ length: 2_000 }, () => settle("locked"));
    const [outcome, ms] = await settle("other");
    expect(outcome).toBe("done");
    expect(ms).toBeLessThan(LOCK_WAIT_MS);
    for (const [refusal, late] of await Promise.all(refused)) {
      expect(refusal).toBe("storage_unavailable");
      expect(late).toBeLessThan(FAILED_MS);
    }
  });
});
