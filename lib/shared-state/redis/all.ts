/** All that is shared through Redis, in one file for a single import on demand. */
export { RedisCache } from "./cache";
export { RedisCircuits } from "./circuits";
export { RedisLimits } from "./limits";
export { RedisLink } from "./link";
export { RedisReplies } from "./replies";
