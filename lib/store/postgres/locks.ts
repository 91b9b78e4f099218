/**
 * Advisory locks of one database, as the two integers that PostgreSQL names them by. The first is "PBay" in ASCII,
 * which keeps them apart from those of other programs.
 */
const PATCHBAY = 0x50426179;

export const LOCKS = {
  /** Held by the one instance that migrates. */
  migrations: [PATCHBAY, 1],
  /** Held by the one write transaction of all instances; the ledger locks its own rows instead. */
  writes: [PATCHBAY, 2],
} as const satisfies Record<string, readonly [number, number]>;
