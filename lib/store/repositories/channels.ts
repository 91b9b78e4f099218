import { renameOldOptions } from "../../contracts/console/channel-options";
import type { ChannelKey, ChannelRecord, Channels } from "../../ports/store";
import { flag, fromJson, json } from "../columns";
import { orConflict } from "../errors";
import type { ChannelTable } from "../schema";
import { deleteById, type Scope } from "../transactions";
import { changeOne, findOne, insertBatches } from "./statements";

/** A key in the JSON of the column `keys`. */
interface StoredKey {
  id: string;
  sealed: string;
  display: string;
  label?: string;
}

function toStoredKey({ id, encrypted, display, label }: ChannelKey): StoredKey {
  return { id, sealed: encrypted, display, label };
}

function columns(channel: ChannelRecord): ChannelTable;
function columns(channel: Partial<ChannelRecord>): Partial<ChannelTable>;
function columns(channel: Partial<ChannelRecord>): Partial<ChannelTable> {
  return {
    id: channel.id,
    name: channel.name,
    provider: channel.provider,
    base_url: channel.baseUrl,
    keys: json(channel.keys?.map(toStoredKey)),
    models: json(channel.models),
    priority: channel.priority,
    weight: channel.weight,
    rpm: channel.rpm,
    concurrency: channel.concurrency,
    timeouts: json(channel.timeouts),
    headers: json(channel.headers),
    options: json(channel.options),
    enabled: flag(channel.enabled),
    embedded: flag(channel.embedded),
    created_at: channel.createdAt,
    version: channel.version,
  };
}

function toChannel(row: ChannelTable): ChannelRecord {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    baseUrl: row.base_url,
    keys: fromJson<StoredKey[]>(row.keys).map(({ sealed, ...key }) => ({ ...key, encrypted: sealed })),
    models: fromJson<ChannelRecord["models"]>(row.models),
    priority: row.priority,
    weight: row.weight,
    rpm: row.rpm,
    concurrency: row.concurrency,
    timeouts: fromJson<ChannelRecord["timeouts"]>(row.timeouts),
    headers: fromJson<ChannelRecord["headers"]>(row.headers),
    options: renameOldOptions(fromJson<ChannelRecord["options"]>(row.options)),
    enabled: row.enabled === 1,
    embedded: row.embedded === 1,
    createdAt: row.created_at,
    version: row.version,
  };
}

export function channelsRepository(scope: Scope): Channels {
  return {
    insert: (...channels) =>
      scope.write(async (db, touch) => {
        for (const some of insertBatches(channels.map((one) => columns(one))))
          await orConflict(
            "A channel with that ID already exists.",
            db.insertInto("channels").values(some).execute(),
          );
        if (channels.length > 0) touch("channels");
      }),

    find: (id) => findOne(scope.read.selectFrom("channels").selectAll().where("id", "=", id), toChannel),

    async all() {
      const rows = await scope.read
        .selectFrom("channels")
        .selectAll()
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toChannel);
    },

    update: (at, patch) =>
      changeOne(scope, "channels", toChannel, (db) =>
        db
          .updateTable("channels")
          .set({ ...columns(patch), version: at.version + 1 })
          .where("id", "=", at.id)
          .where("version", "=", at.version)
          .returningAll(),
      ),

    delete: (id) => deleteById(scope, "channels", id, ["channels"]),
  };
}
