import { changeSettings } from "./console-api";
import { call } from "./enrolled";

/** The URL of an instance and the session of its owner. */
interface Instance {
  url: string;
  cookie: string;
}

/** A page and who opens it. */
export interface PageUnderTest {
  name: string;
  path: string;
  /** `fresh`: before initial setup; `anonymous`: set up, without a session; `owner`: signed in as the owner. */
  as: "fresh" | "anonymous" | "owner";
  /** The browser logs the page's own status 404 as an error. */
  isMissing?: boolean;
  /** Creates what the page needs; returns a suffix for its path. */
  prepare?(instance: Instance): Promise<string>;
  /** Reverts `prepare`: other tests use the same instance. */
  cleanUp?(instance: Instance): Promise<void>;
}

async function setSelfRegistration({ url, cookie }: Instance, isOpen: boolean): Promise<void> {
  await changeSettings(url, cookie, { self_registration: isOpen });
}

interface Link {
  token: string;
}
const asFragment = ({ token }: Link) => `#token=${token}`;

async function invite({ url, cookie }: Instance): Promise<string> {
  const fields = { role: "member", email: "guest@example.com", expires_hours: 1 };
  return asFragment(await call<Link>(url, cookie, "/api/invites", fields));
}

async function resetLink({ url, cookie }: Instance): Promise<string> {
  const fields = { username: `forgetful-${Date.now()}`, password: "nine blue lanterns drift" };
  const { id } = await call<{ id: string }>(url, cookie, "/api/users", fields);
  return asFragment(await call<Link>(url, cookie, `/api/users/${id}/password_reset`, {}));
}

/** Prepares a page, calls `look` with its path and cleans up. */
export async function visitPage(
  page: PageUnderTest,
  instance: Instance,
  look: (path: string) => Promise<void>,
): Promise<void> {
  const more = (await page.prepare?.(instance)) ?? "";
  try {
    await look(page.path + more);
  } finally {
    await page.cleanUp?.(instance);
  }
}

export const PAGES: readonly PageUnderTest[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "login", path: "/login", as: "anonymous" },
  { name: "dead link", path: "/invite", as: "anonymous" },
  { name: "invite", path: "/invite", as: "anonymous", prepare: invite },
  { name: "reset", path: "/reset", as: "anonymous", prepare: resetLink },
  {
    name: "register",
    path: "/register",
    as: "anonymous",
    prepare: (instance) => setSelfRegistration(instance, true).then(() => ""),
    cleanUp: (instance) => setSelfRegistration(instance, false),
  },
  { name: "overview", path: "/", as: "owner" },
  { name: "speech", path: "/playground/speech", as: "owner" },
  { name: "embeddings", path: "/playground/embeddings", as: "owner" },
  { name: "channels", path: "/channels", as: "owner" },
  { name: "channel", path: "/channels/chn_builtin_speech", as: "owner" },
  { name: "new channel", path: "/channels/new", as: "owner" },
  { name: "channel's form", path: "/channels/chn_builtin_speech/edit", as: "owner" },
  { name: "models", path: "/models", as: "owner" },
  { name: "local voices", path: "/models/local-voices", as: "owner" },
  { name: "keys", path: "/keys", as: "owner" },
  { name: "users", path: "/users", as: "owner" },
  { name: "alerts", path: "/alerts", as: "owner" },
  { name: "audit", path: "/audit", as: "owner" },
  { name: "usage", path: "/usage", as: "owner" },
  { name: "logs", path: "/logs", as: "owner" },
  { name: "settings", path: "/settings", as: "owner" },
  { name: "settings, security", path: "/settings?section=security", as: "owner" },
  { name: "settings, limits", path: "/settings?section=limits", as: "owner" },
  { name: "settings, network", path: "/settings?section=network", as: "owner" },
  { name: "settings, data", path: "/settings?section=data", as: "owner" },
  { name: "settings, transfer", path: "/settings?section=transfer", as: "owner" },
  { name: "settings, instances", path: "/settings?section=instances", as: "owner" },
  { name: "docs", path: "/docs", as: "owner" },
  { name: "guide", path: "/docs/guides/sdks", as: "owner" },
  { name: "account", path: "/account", as: "owner" },
  { name: "unknown address", path: "/nowhere", as: "owner", isMissing: true },
];
