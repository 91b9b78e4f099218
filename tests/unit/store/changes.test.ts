import type { Kysely } from "kysely";
import { expect, test } from "vitest";
import { ChangeFeed } from "../../../lib/store/changes";
import { SILENT } from "../../../lib/store/options";
import type { RevisionTable, Tables } from "../../../lib/store/schema";

/** A feed over revisions that the test sets, and the topics that it has reported since the last call of `reported`. */
function openFeed() {
  let rows: RevisionTable[] = [];
  const read = { selectFrom: () => ({ selectAll: () => ({ execute: async () => rows }) }) };
  const feed = new ChangeFeed(read as unknown as Kysely<Tables>, SILENT);
  let topics: string[] = [];
  feed.subscribe((changed) => topics.push(...changed));
  return {
    feed,
    set(revisions: Record<string, number>) {
      rows = Object.entries(revisions).map(([topic, revision]) => ({ topic, revision }));
    },
    reported() {
      const since = topics.sort();
      topics = [];
      return since;
    },
  };
}

test("a change of another process is reported once", async () => {
  const { feed, set, reported } = openFeed();
  set({ keys: 1, users: 4 });
  await feed.refresh();
  expect(reported()).toEqual(["keys", "users"]);
  set({ keys: 2, users: 4 });
  await feed.refresh();
  expect(reported()).toEqual(["keys"]);
  await feed.refresh();
  expect(reported()).toEqual([]);
});

test("a commit of this process is reported at once, and not again when it is read", async () => {
  const { feed, set, reported } = openFeed();
  feed.committed([{ topic: "keys", revision: 1 }]);
  expect(reported()).toEqual(["keys"]);
  set({ keys: 1 });
  await feed.refresh();
  expect(reported()).toEqual([]);
});

test("a revision that was lost in a failover and reached again by another process is reported", async () => {
  const { feed, set, reported } = openFeed();
  set({ keys: 5 });
  await feed.refresh();
  reported();
  // Revision 5 was lost; the current 5 is another commit.
  await feed.reread();
  expect(reported()).toEqual(["keys"]);
});

test("a revision that went back reports every topic, and then the next commit of another process", async () => {
  const { feed, set, reported } = openFeed();
  set({ keys: 50, users: 9 });
  await feed.refresh();
  reported();
  set({ keys: 48, users: 9 });
  await feed.refresh();
  expect(reported()).toEqual(["keys", "users"]);
  set({ keys: 49, users: 9 });
  await feed.refresh();
  expect(reported()).toEqual(["keys"]);
  await feed.refresh();
  expect(reported()).toEqual([]);
});

test.each([
  { revision: 49, topics: ["keys", "users"] },
  { revision: 50, topics: ["keys"] },
])(
  "a commit of this process that reaches the lost revision 50 or less is reported: $revision",
  async ({ revision, topics }) => {
    const { feed, set, reported } = openFeed();
    set({ keys: 50, users: 9 });
    await feed.refresh();
    reported();
    feed.committed([{ topic: "keys", revision }]);
    expect(new Set(reported())).toEqual(new Set(topics));
    set({ keys: revision, users: 9 });
    await feed.refresh();
    expect(reported()).toEqual([]);
  },
);

test("a read that began before a commit of this process does not count as a database that went back", async () => {
  const { feed, set, reported } = openFeed();
  set({ keys: 1, users: 1 });
  await feed.refresh();
  reported();
  const reading = feed.refresh();
  set({ keys: 2, users: 1 });
  feed.committed([{ topic: "keys", revision: 2 }]);
  await reading;
  expect(reported()).toEqual(["keys"]);
  await feed.refresh();
  expect(reported()).toEqual([]);
});

test("a topic that the new server lacks is reported, and so is its next commit", async () => {
  const { feed, set, reported } = openFeed();
  set({ keys: 1, users: 1 });
  await feed.refresh();
  reported();
  set({ users: 1 });
  await feed.reread();
  expect(reported()).toEqual(["keys", "users"]);
  set({ keys: 1, users: 1 });
  await feed.refresh();
  expect(reported()).toEqual(["keys"]);
});
