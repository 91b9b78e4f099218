import { expect, test } from "vitest";
import type { Clock } from "../../../lib/ports/clock";
import { type CommitGroup, GroupCommit } from "../../../lib/store/ledger/group-commit";
import type { LedgerOperation } from "../../../lib/store/ledger/operations";
import { SILENT } from "../../../lib/store/options";
import { SYSTEM_CLOCK } from "../../support/factories";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const operation = (id: string): LedgerOperation => ({ kind: "settle", row: [id], onlyOpen: false });

/** A group commit that records the size of each group. */
function openRecorded(clock: Clock) {
  const groups: number[] = [];
  const commit: CommitGroup = async (operations) => {
    groups.push(operations.length);
    return operations.map(() => "done");
  };
  return { commits: new GroupCommit(commit, clock, SILENT), groups };
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
