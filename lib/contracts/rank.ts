import type { Role } from "./console/user";

// Apart from the schemas: pages that only compare roles must not load what reads them.
const RANK = { owner: 2, admin: 1, member: 0 } as const satisfies Record<Role, number>;

/** True when `one` stands above `other`: nobody acts on an equal or a higher role. */
export function isHigherRole(one: Role, other: Role): boolean {
  return RANK[one] > RANK[other];
}
