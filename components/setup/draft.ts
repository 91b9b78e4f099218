import { readStoredJson, removeStored, writeStored } from "@/lib/client/storage";

export const USAGES = ["self", "team", "demo"] as const;
/** The steps before the owner exists. */
export const DRAFT_STEPS = ["welcome", "token", "usage", "administrator"] as const;

/** The answers before the owner exists, stored in this tab's sessionStorage. Never holds a password. */
export interface SetupDraft {
  usage: (typeof USAGES)[number];
  username: string;
  email: string;
  token: string;
  isTokenFromLink: boolean;
  furthest: (typeof DRAFT_STEPS)[number];
}

const STORAGE_KEY = "patchbay.setup";

/** The stored draft. Missing and invalid fields get their initial value. */
export function readDraft(): SetupDraft {
  const stored = readStoredJson("sessionStorage", STORAGE_KEY);
  // Every field is checked below.
  const fields = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    usage: USAGES.find((one) => one === fields.usage) ?? "self",
    username: text(fields.username),
    email: text(fields.email),
    token: text(fields.token),
    isTokenFromLink: fields.isTokenFromLink === true,
    furthest: DRAFT_STEPS.find((one) => one === fields.furthest) ?? "welcome",
  };
}

export function saveDraft(draft: SetupDraft): void {
  writeStored("sessionStorage", STORAGE_KEY, JSON.stringify(draft));
}

export function clearDraft(): void {
  removeStored("sessionStorage", STORAGE_KEY);
}

/** The token of a link `/setup#token=…`; removes it from the URL and its history entry. */
export function takeTokenFromUrl(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
  if (token === null) return null;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  return token;
}
