import type { AuditRecord, Repositories } from "../../ports/store";

type Named = Pick<Repositories, "users" | "keys" | "channels">;

async function nameOf(store: Named, id: string): Promise<string | null> {
  if (id.startsWith("usr_")) return (await store.users.findById(id))?.username ?? null;
  if (id.startsWith("key_")) return (await store.keys.findById(id))?.name ?? null;
  if (id.startsWith("chn_")) return (await store.channels.find(id))?.name ?? null;
  return null;
}

/**
 * The target's name as the row's detail recorded it, for deleted targets; invites are named by their e-mail address.
 */
function nameInDetail({ target, detail }: AuditRecord): string | null {
  const name = detail.name ?? detail.username ?? (target.startsWith("inv_") ? detail.email : null);
  return typeof name === "string" ? name : null;
}

/** The names of actors and targets of these rows by ID; IDs of unknown form have none. */
export async function namesIn(
  store: Named,
  rows: readonly AuditRecord[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const row of rows) {
    const name = nameInDetail(row);
    if (name !== null && row.target !== "") names.set(row.target, name);
  }
  const ids = new Set(rows.flatMap((row) => [row.actor, row.target]));
  await Promise.all(
    [...ids].map(async (id) => {
      const name = await nameOf(store, id);
      if (name !== null) names.set(id, name);
    }),
  );
  return names;
}
