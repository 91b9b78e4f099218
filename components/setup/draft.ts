import { z } from "zod/mini";

/** What was answered before anything could be saved on the server. Kept for this tab alone; never a password. */
const SetupDraft = z.object({
  usage: z.enum(["self", "team", "demo"]),
  username: z.string(),
  email: z.string(),
  token: z.string(),
  isTokenFromLink: z.boolean(),
  furthest: z.enum(["found", "token", "usage", "administrator"]),
});
export type SetupDraft = z.infer<typeof SetupDraft>;

const STORAGE_KEY = "patchbay.setup";
const EMPTY: SetupDraft = {
  usage: "self",
  username: "",
  email: "",
  token: "",
  isTokenFromLink: false,
  furthest: "found",
};

export function readDraft(): SetupDraft {
  try {
    const kept = SetupDraft.safeParse(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? ""));
    return kept.success ? kept.data : EMPTY;
  } catch {
    return EMPTY;
  }
}

export function keepDraft(draft: SetupDraft): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft));
}

export function forgetDraft(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** The token of a link `/setup#token=…`, taken out of the address bar and its history entry at once. */
export function takeTokenFromAddress(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (token === null) return null;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  return token;
}
