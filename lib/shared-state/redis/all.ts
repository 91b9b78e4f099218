/** All that is shared through Redis, in one file for a single import on demand. */
export { createRedisCache } from "./cache";
export { shareCircuits } from "./circuits";
export { createRedisLimits } from "./limits";
export { openRedisLink } from "./link";
export { createRedisReplies } from "./replies";
