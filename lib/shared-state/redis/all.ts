/** All that is shared through Redis, in one file for a single import on demand. */
export { RedisCache } from "./cache";
export { shareCircuits } from "./circuits";
export { createRedisLimits } from "./limits";
export { openRedisLink } from "./link";
export { RedisReplies } from "./replies";
