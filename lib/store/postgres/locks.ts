/**
 * Advisory locks of one database, as pairs of integers. The first is "PBay" in ASCII, to avoid those of other programs.
 */
const PATCHBAY = 0x50426179;

export const LOCKS = {
  /** Held by the instance that migrates. */
  migrations: [PATCHBAY, 1],
  /** Held by the only write transaction of all instances; the ledger locks its own rows instead. */
  writes: [PATCHBAY, 2],
} as const satisfies Record<string, readonly [number, number]>;
