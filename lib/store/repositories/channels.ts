import { renameOldOptions } from "../../contracts/console/channel-options";
import type { ChannelKey, ChannelRecord, Channels } from "../../ports/store";
import { orConflict } from "../errors";
import { CHANNEL, type ChannelTable, type StoredKey } from "../schema/catalogue";
import { deleteById, type Scope } from "../transactions";
import { changeOne, findOne, insertBatches } from "./statements";

function toStoredKey({ id, encrypted, display, label }: ChannelKey): StoredKey {
  return { id, sealed: encrypted, display, label };
}

function toChannel(row: ChannelTable): ChannelRecord {
  const { keys, options, ...channel } = CHANNEL.toRecord(row);
  return {
    ...channel,
    keys: keys.map(({ sealed, ...key }) => ({ ...key, encrypted: sealed })),
    options: renameOldOptions(options),
  };
}

export function channelsRepository(scope: Scope): Channels {
  return {
    insert: (...channels) =>
      scope.write(async (db, touch) => {
        for (const some of insertBatches(channels))
          await orConflict(
            "A channel with that ID already exists.",
            db
              .insertInto("channels")
              .values(some.map((one) => CHANNEL.toRow({ ...one, keys: one.keys.map(toStoredKey) })))
              .execute(),
          );
        if (channels.length > 0) touch("channels");
      }),

    find: (id) => findOne(scope.read.selectFrom("channels").selectAll().where("id", "=", id), toChannel),

    all: scope.cacheUntilTouched("channels", async () => {
      const rows = await scope.read
        .selectFrom("channels")
        .selectAll()
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toChannel);
    }),

    update: (at, patch) =>
      changeOne(scope, "channels", toChannel, (db) =>
        db
          .updateTable("channels")
          .set({
            ...CHANNEL.toRow({ ...patch, keys: patch.keys?.map(toStoredKey) }),
            version: at.version + 1,
          })
          .where("id", "=", at.id)
          .where("version", "=", at.version)
          .returningAll(),
      ),

    delete: (id) => deleteById(scope, "channels", id, ["channels"]),
  };
}
