import { PAGES } from "../../components/shell/pages";
import { call } from "./enrolled";
import { expect, signInByCookie, test } from "./fixtures";

const PASSWORD = "nine blue lanterns drift";

/** A user of this role, signed in over the API. */
async function cookieOf(url: string, owner: string, username: string, role: string): Promise<string> {
  await call(url, owner, "/api/users", { username, password: PASSWORD, role });
  const reply = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  return reply.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}

test.describe("a page that is not for the visitor", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is not there for a member, and no way leads to it; the rest opens", async ({ page, product }) => {
    await signInByCookie(page, product.url, await cookieOf(product.url, product.cookie, "mo", "member"));
    const places = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    for (const { path, isForAdmins } of PAGES) {
      const reply = await page.goto(product.url + path);
      expect([path, reply?.status()]).toEqual([path, isForAdmins ? 404 : 200]);
      // What is not there is said within the frame, not in a page of its own inside it.
      await expect(page.getByRole("main")).toHaveCount(1);
      if (isForAdmins)
        await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      else await expect(places).toHaveCount(PAGES.filter((one) => !one.isForAdmins).length);
    }
    await page.goto(product.url);
    const ways = await places.evaluateAll((links) => links.map((one) => one.getAttribute("href")));
    expect(ways.sort()).toEqual(
      PAGES.filter((one) => !one.isForAdmins)
        .map((one) => one.path)
        .sort(),
    );
    await page.keyboard.press("Control+k");
    for (const { name } of PAGES.filter((one) => one.isForAdmins))
      await expect(page.getByRole("option", { name: new RegExp(`^${name}$`, "i") })).toHaveCount(0);
  });
});

for (const role of ["owner", "admin"]) {
  test(`every page opens for ${role === "owner" ? "the owner" : "an administrator"}`, async ({
    page,
    product,
  }) => {
    const cookie =
      role === "owner" ? product.cookie : await cookieOf(product.url, product.cookie, "ad", "admin");
    await signInByCookie(page, product.url, cookie);
    for (const { path } of PAGES) {
      const reply = await page.goto(product.url + path);
      expect([path, reply?.status()]).toEqual([path, 200]);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    }
    await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveCount(PAGES.length);
  });
}

test("nobody is sent to sign in, and back to the page they asked for", async ({ page, product }) => {
  for (const { path } of PAGES) {
    await page.goto(product.url + path);
    await expect(page).toHaveURL(
      path === "/" ? `${product.url}/login` : `${product.url}/login?return_to=${encodeURIComponent(path)}`,
    );
  }
});
