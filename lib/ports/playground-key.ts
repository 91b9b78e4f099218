/** Prefix of playground key IDs: the keys end with their sessions, and the usage ledger still names them by it. */
export const PLAYGROUND_ID = "play";
export const PLAYGROUND_NAME = "Playground";

export const isPlaygroundId = (id: string): boolean => id.startsWith(`${PLAYGROUND_ID}_`);
