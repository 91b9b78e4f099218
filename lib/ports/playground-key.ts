/** What ids of playground keys begin with: they die with their sessions, and the books name them by it afterwards. */
export const PLAYGROUND_ID = "play";
export const PLAYGROUND_NAME = "Playground";

export const isPlaygroundId = (id: string): boolean => id.startsWith(`${PLAYGROUND_ID}_`);
