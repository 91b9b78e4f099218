/** Every page a visitor can open, and as whom. */
export interface PageUnderTest {
  name: string;
  path: string;
  /** `fresh`: nobody has set the instance up; `nobody`: set up, not signed in; `owner`: signed in. */
  as: "fresh" | "nobody" | "owner";
}

export const PAGES: readonly PageUnderTest[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "login", path: "/login", as: "nobody" },
  { name: "invite", path: "/invite", as: "nobody" },
  { name: "reset", path: "/reset", as: "nobody" },
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
