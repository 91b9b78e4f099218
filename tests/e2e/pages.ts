import { call } from "./enrolled";

/** Where a product is, and the session of its owner. */
interface Place {
  url: string;
  cookie: string;
}

/** Every page a visitor can open, and as whom. */
export interface PageUnderTest {
  name: string;
  path: string;
  /** `fresh`: nobody has completed setup; `nobody`: set up, not signed in; `owner`: signed in. */
  as: "fresh" | "nobody" | "owner";
  /** Makes what the page needs before it is opened; what it returns is put after the path. */
  prepare?(place: Place): Promise<string>;
  /** Takes that back: others use the same product. */
  finish?(place: Place): Promise<void>;
}

async function letRegister({ url, cookie }: Place, isOpen: boolean): Promise<void> {
  const headers = { "content-type": "application/json", cookie };
  const body = JSON.stringify({ self_registration: isOpen });
  const reply = await fetch(`${url}/api/settings`, { method: "PATCH", headers, body });
  if (!reply.ok) throw new Error(`/api/settings: ${reply.status}`);
}

interface Link {
  token: string;
}
const asFragment = ({ token }: Link) => `#token=${token}`;

async function invite({ url, cookie }: Place): Promise<string> {
  const fields = { role: "member", email: "guest@example.com", expires_hours: 1 };
  return asFragment(await call<Link>(url, cookie, "/api/invites", fields));
}

async function resetLink({ url, cookie }: Place): Promise<string> {
  const fields = { username: `forgetful-${Date.now()}`, password: "nine blue lanterns drift" };
  const { id } = await call<{ id: string }>(url, cookie, "/api/users", fields);
  return asFragment(await call<Link>(url, cookie, `/api/users/${id}/password_reset`, {}));
}

/** Looks at a page of an instance that is set up, with what it needs. `look` is given its path. */
export async function withPage(
  page: PageUnderTest,
  place: Place,
  look: (path: string) => Promise<void>,
): Promise<void> {
  const more = (await page.prepare?.(place)) ?? "";
  try {
    await look(page.path + more);
  } finally {
    await page.finish?.(place);
  }
}

export const PAGES: readonly PageUnderTest[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "login", path: "/login", as: "nobody" },
  { name: "dead link", path: "/invite", as: "nobody" },
  { name: "invite", path: "/invite", as: "nobody", prepare: invite },
  { name: "reset", path: "/reset", as: "nobody", prepare: resetLink },
  {
    name: "register",
    path: "/register",
    as: "nobody",
    prepare: (place) => letRegister(place, true).then(() => ""),
    finish: (place) => letRegister(place, false),
  },
  { name: "overview", path: "/", as: "owner" },
  { name: "speech", path: "/playground/speech", as: "owner" },
  { name: "embeddings", path: "/playground/embeddings", as: "owner" },
  { name: "channels", path: "/channels", as: "owner" },
  { name: "channel", path: "/channels/chn_builtin_speech", as: "owner" },
  { name: "new channel", path: "/channels/new", as: "owner" },
  { name: "channel's form", path: "/channels/chn_builtin_speech/edit", as: "owner" },
  { name: "models", path: "/models", as: "owner" },
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
  { name: "docs", path: "/docs", as: "owner" },
  { name: "guide", path: "/docs/guides/sdks", as: "owner" },
  { name: "account", path: "/account", as: "owner" },
];
