import type { InviteRecord, Invites, Role } from "../../ports/store";
import { matches, newestFirst } from "../page";
import type { InviteTable } from "../schema";
import { deleteById, type Scope } from "../transactions";
import { changeOne, countDeleted, findOne } from "./statements";

function columns(invite: InviteRecord): InviteTable {
  return {
    id: invite.id,
    kind: invite.kind,
    digest: invite.digest,
    role: invite.role,
    email: invite.email,
    user_id: invite.userId,
    password_version: invite.passwordVersion,
    made_by: invite.madeBy,
    created_at: invite.createdAt,
    expires_at: invite.expiresAt,
    used_at: invite.usedAt,
  };
}

function toInvite(row: InviteTable): InviteRecord {
  return {
    id: row.id,
    kind: row.kind === "password_reset" ? "password_reset" : "invite",
    digest: row.digest,
    // The column is written from a Role only.
    role: row.role as Role,
    email: row.email,
    userId: row.user_id,
    passwordVersion: row.password_version,
    madeBy: row.made_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
  };
}

function reading(scope: Scope): Pick<Invites, "findById" | "findByDigest" | "listOpen"> {
  return {
    findById: (id) => findOne(scope.read.selectFrom("invites").selectAll().where("id", "=", id), toInvite),

    findByDigest: (digest) =>
      findOne(scope.read.selectFrom("invites").selectAll().where("digest", "=", digest), toInvite),

    async listOpen(query) {
      let select = scope.read
        .selectFrom("invites")
        .selectAll()
        .where("used_at", "is", null)
        .where("expires_at", ">", query.now);
      if (query.q !== null) select = select.where(matches(query.q, ["email"]));
      return newestFirst(select, query, "created_at", toInvite);
    },
  };
}

function writing(
  scope: Scope,
): Pick<Invites, "insert" | "consume" | "delete" | "deleteByUser" | "deleteExpired"> {
  return {
    insert: (invite) =>
      scope.write(async (db, touch) => {
        await db.insertInto("invites").values(columns(invite)).execute();
        touch("users");
      }),

    consume: (digest, now) =>
      changeOne(scope, "users", toInvite, (db) =>
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

export function invitesRepository(scope: Scope): Invites {
  return { ...reading(scope), ...writing(scope) };
}
