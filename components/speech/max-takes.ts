/** Most takes of a user. Not in `history.ts`, which is loaded on demand: its list states the number before. */
export const MAX_TAKES = 40;
