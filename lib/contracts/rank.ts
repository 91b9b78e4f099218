import type { Role } from "./console/user";

// Separate from the schemas, so that pages that only compare roles do not load zod.
const RANK = { owner: 2, admin: 1, member: 0 } as const satisfies Record<Role, number>;

/** True when `one` outranks `other`. Users may only manage users of a lower role. */
export function isHigherRole(one: Role, other: Role): boolean {
  return RANK[one] > RANK[other];
}
