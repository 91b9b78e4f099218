import type { Kysely } from "kysely";
import { expect, test } from "vitest";
import { ChangeFeed } from "../../../lib/store/changes";
import { SILENT } from "../../../lib/store/options";
import type { RevisionTable, Tables } from "../../../lib/store/schema";

/** A feed over revisions that the test sets, and the topics that its listener heard since the last look. */
function openFeed() {
  let rows: RevisionTable[] = [];
  const read = { selectFrom: () => ({ selectAll: () => ({ execute: async () => rows }) }) };
  const feed = new ChangeFeed(read as unknown as Kysely<Tables>, SILENT);
  let heard: string[] = [];
  feed.subscribe((topics) => heard.push(...topics));
  return {
    feed,
    set(revisions: Record<string, number>) {
      rows = Object.entries(revisions).map(([topic, revision]) => ({ topic, revision }));
    },
    heard() {
      const since = heard.sort();
      heard = [];
      return since;
    },
  };
}

test("a change of another process is reported once", async () => {
  const { feed, set, heard } = openFeed();
  set({ keys: 1, users: 4 });
  await feed.refresh();
  expect(heard()).toEqual(["keys", "users"]);
  set({ keys: 2, users: 4 });
  await feed.refresh();
  expect(heard()).toEqual(["keys"]);
  await feed.refresh();
  expect(heard()).toEqual([]);
});

test("a commit of this process is reported at once, and not again when it is read", async () => {
  const { feed, set, heard } = openFeed();
  feed.committed([{ topic: "keys", revision: 1 }]);
  expect(heard()).toEqual(["keys"]);
  set({ keys: 1 });
  await feed.refresh();
  expect(heard()).toEqual([]);
});

test("a revision that was lost in a failover and reached again by another process is reported", async () => {
  const { feed, set, heard } = openFeed();
  set({ keys: 5 });
  await feed.refresh();
  heard();
  // 5 was lost, and the 5 of now is another commit.
  await feed.reread();
  expect(heard()).toEqual(["keys"]);
});

test("a topic that the new server lacks is reported, and so is its next commit", async () => {
  const { feed, set, heard } = openFeed();
  set({ keys: 1, users: 1 });
  await feed.refresh();
  heard();
  set({ users: 1 });
  await feed.reread();
  expect(heard()).toEqual(["keys", "users"]);
  set({ keys: 1, users: 1 });
  await feed.refresh();
  expect(heard()).toEqual(["keys"]);
});
