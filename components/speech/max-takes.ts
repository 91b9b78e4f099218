/** Maximum stored takes per user. Not in `history.ts`, which is loaded on demand, as the page shows it before that. */
export const MAX_TAKES = 40;
