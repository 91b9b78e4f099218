import type { Invites } from "../../ports/store";
import { matches, newestFirst } from "../page";
import { INVITE } from "../schema/accounts";
import { deleteById, type Scope } from "../transactions";
import { changeOne, countDeleted, findOne } from "./statements";

export function invitesRepository(scope: Scope): Invites {
  return {
    findById: (id) =>
      findOne(scope.read.selectFrom("invites").selectAll().where("id", "=", id), INVITE.toRecord),

    findByDigest: (digest) =>
      findOne(scope.read.selectFrom("invites").selectAll().where("digest", "=", digest), INVITE.toRecord),

    async listOpen(query) {
      let select = scope.read
        .selectFrom("invites")
        .selectAll()
        .where("used_at", "is", null)
        .where("expires_at", ">", query.now);
      if (query.q !== null) select = select.where(matches(query.q, ["email"]));
      return newestFirst(select, query, "created_at", INVITE.toRecord);
    },

    insert: (invite) =>
      scope.write(async (db, touch) => {
        await db.insertInto("invites").values(INVITE.toRow(invite)).execute();
        touch("users");
      }),

    consume: (digest, now) =>
      changeOne(scope, "users", INVITE.toRecord, (db) =>
        db
          .updateTable("invites")
          .set({ used_at: now })
          .where("digest", "=", digest)
          .where("used_at", "is", null)
          .where("expires_at", ">", now)
          .returningAll(),
      ),

    delete: (id) => deleteById(scope, "invites", id, ["users"]),

    deleteByUser: (userId) =>
      scope.write(async (db, touch) => {
        const count = await countDeleted(db.deleteFrom("invites").where("user_id", "=", userId));
        if (count > 0) touch("users");
        return count;
      }),

    deleteExpired: (now) =>
      scope.write((db) => countDeleted(db.deleteFrom("invites").where("expires_at", "<=", now))),
  };
}
