/** Walks through users, invites and the pages of one-time links, for tests/e2e/screenshots.mjs. */

const PASSWORD = "nine blue lanterns drift";
const PEOPLE = [
  { username: "ada", display_name: "Ada Winter", email: "ada@example.com", role: "admin" },
  { username: "mia", display_name: "Mia Sommer", email: "mia@example.com", budget: { monthly_usd: "25" } },
  { username: "noor", display_name: "Noor Haddad" },
  { username: "left-long-ago", display_name: "Ben Alt", email: "ben.alt@subsidiary.example.com" },
];

/** Creates users and invites; those of an earlier walk remain. */
async function createUsers({ request }, url) {
  const call = (path, data) => request.post(url + path, { data });
  for (const one of PEOPLE) await call("/api/users", { password: PASSWORD, ...one });
  await call("/api/invites", { role: "member", email: "zoe@example.com", expires_hours: 72 });
  await call("/api/invites", { role: "admin", expires_hours: 24 });
  const { data } = await (await request.get(`${url}/api/users`)).json();
  const ben = data.items.find((one) => one.username === "left-long-ago");
  await request.patch(`${url}/api/users/${ben.id}`, { data: { enabled: false, version: ben.version } });
  const settings = await (await request.get(`${url}/api/settings`)).json();
  const change = { version: settings.data.version, self_registration: true };
  const changed = await request.patch(`${url}/api/settings`, { data: change });
  if (!changed.ok()) throw new Error(`PATCH /api/settings: ${await changed.text()}`);
}

/** Creates a key of another user, so that the list has several owners. */
async function createOtherUsersKey(page, url) {
  const other = await page.context().browser().newContext();
  const sign = { username: "mia", password: PASSWORD };
  await other.request.post(`${url}/api/user/login`, { data: sign });
  await other.request.post(`${url}/api/keys`, { data: { name: "Mia’s reader" } });
  await other.close();
}

const menuOf = (page, name) =>
  page
    .getByRole("button", { name: `Actions for ${name}` })
    .locator("visible=true")
    .click();

export async function walkUsers({ page, url, shot }) {
  await createUsers(page.context(), url);
  await createOtherUsersKey(page, url);
  await page.goto(`${url}/users`);
  await page.getByRole("heading", { name: "Pending invitations and resets" }).waitFor();
  await shot("users");
  await menuOf(page, "mia");
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  await shot("users-menu", { fullPage: false });
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("dialog").waitFor();
  await shot("users-edit", { fullPage: false });
  await page.keyboard.press("Escape");
  await menuOf(page, "left-long-ago");
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").waitFor();
  await shot("users-delete", { fullPage: false });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByRole("dialog").waitFor();
  await shot("users-add", { fullPage: false });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Invite user" }).click();
  await page.getByRole("dialog").waitFor();
  await shot("users-invite", { fullPage: false });
  await page.getByRole("button", { name: "Create link" }).click();
  const invite = await page.getByTestId("one-time-link").textContent();
  await shot("users-link", { fullPage: false });
  await page.goto(`${url}/keys`);
  await page.getByText("Mia’s reader").locator("visible=true").first().waitFor();
  await shot("keys-all-owners");
  await page.goto(`${url}/keys?create=1`);
  await page.getByRole("checkbox", { name: "Manage" }).check();
  await shot("keys-manage", { fullPage: false });
  await walkGuests({ page, url, shot, invite });
}

async function walkGuests({ page, url, shot, invite }) {
  const { data } = await (await page.context().request.get(`${url}/api/users?q=mia`)).json();
  const path = `/api/users/${data.items[0].id}/password_reset`;
  const made = await (await page.context().request.post(url + path, { data: {} })).json();
  // An open page would redirect to sign-in during the next visit.
  await page.goto("about:blank");
  await page.context().clearCookies();
  await page.goto(invite);
  await page.getByLabel("Username").waitFor();
  await shot("invite");
  await page.goto(`${url}/reset#token=${made.data.token}`);
  await page.getByLabel("New password").waitFor();
  await shot("reset");
  await page.goto(`${url}/invite#token=none`);
  await page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
  await shot("invite-dead");
  await page.goto(`${url}/register`);
  await page.getByLabel("Username").waitFor();
  await shot("register");
  await page.goto(`${url}/login`);
  await shot("login-register");
  await page.goto(`${url}/login`);
  await page.getByLabel("Username or email").fill("mia");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${url}/`);
  await shot("member-overview");
  await page.goto(`${url}/keys`);
  await shot("member-keys");
}
