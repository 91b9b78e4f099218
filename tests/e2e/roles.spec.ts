import { PAGES } from "../../components/shell/pages";
import { expect, signInByCookie, test } from "./fixtures";
import { createUser } from "./users";

test.describe("pages of administrators", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("return 404 to a member and are not linked", async ({ page, product }) => {
    const { cookie } = await createUser(product.url, product.cookie, { username: "mo", role: "member" });
    await signInByCookie(page, product.url, cookie);
    const navLinks = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    for (const { path, isForAdmins } of PAGES) {
      const reply = await page.goto(product.url + path);
      expect([path, reply?.status()]).toEqual([path, isForAdmins ? 404 : 200]);
      // The 404 page is inside the shell and must not add a second `main`.
      await expect(page.getByRole("main")).toHaveCount(1);
      if (isForAdmins) await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
      else await expect(navLinks).toHaveCount(PAGES.filter((one) => !one.isForAdmins).length);
    }
    await page.goto(product.url);
    const navPaths = await navLinks.evaluateAll((links) => links.map((one) => one.getAttribute("href")));
    expect(navPaths.sort()).toEqual(
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
  test(`opens every page for ${role === "owner" ? "the owner" : "an administrator"}`, async ({
    page,
    product,
  }) => {
    const cookie =
      role === "owner"
        ? product.cookie
        : (await createUser(product.url, product.cookie, { username: "ad", role: "admin" })).cookie;
    await signInByCookie(page, product.url, cookie);
    for (const { path } of PAGES) {
      const reply = await page.goto(product.url + path);
      expect([path, reply?.status()]).toEqual([path, 200]);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    }
    await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveCount(PAGES.length);
  });
}

test("redirects to sign-in without a session and keeps the requested page", async ({ page, product }) => {
  for (const { path } of PAGES) {
    await page.goto(product.url + path);
    await expect(page).toHaveURL(
      path === "/" ? `${product.url}/login` : `${product.url}/login?return_to=${encodeURIComponent(path)}`,
    );
  }
});
