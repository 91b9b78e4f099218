import type { UsageRecord, UsageSubject } from "../../ports/store";
import type { ConsoleContext } from "../context";

/** The present names of keys, users and channels; null: deleted. */
export interface UsageNames {
  key(id: string): string | null;
  user(id: string): string | null;
  channel(id: string | null): string | null;
}

/** Resolves names for page after page of rows, each ID once. */
interface Namer {
  /** Reads the names that are not known yet. */
  learn<Row>(kind: UsageSubject, rows: readonly Row[], idOf: (row: Row) => string | null): Promise<void>;
  learnRows(rows: readonly UsageRecord[]): Promise<void>;
  readonly names: UsageNames;
}

export function createNamer({ store }: Pick<ConsoleContext, "store">): Namer {
  const known: Record<UsageSubject, Map<string, string | null>> = {
    key: new Map(),
    user: new Map(),
    channel: new Map(),
  };
  const learn: Namer["learn"] = async (kind, rows, idOf) => {
    const ids = rows.flatMap((row) => idOf(row) ?? []);
    const missing = [...new Set(ids)].filter((id) => !known[kind].has(id));
    if (missing.length === 0) return;
    const found = await store.ledger.names(kind, missing);
    for (const id of missing) known[kind].set(id, found.get(id) ?? null);
  };
  return {
    learn,
    async learnRows(rows) {
      await learn("key", rows, (row) => row.keyId);
      await learn("user", rows, (row) => row.userId);
      await learn("channel", rows, (row) => row.channelId);
    },
    names: {
      key: (id) => known.key.get(id) ?? null,
      user: (id) => known.user.get(id) ?? null,
      channel: (id) => (id === null ? null : (known.channel.get(id) ?? null)),
    },
  };
}
