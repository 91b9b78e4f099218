import { LOCALE_COOKIE } from "@/lib/messages/locale";
import { setUp } from "../support/product";
import { call, enterPassword, expect, openAccountMenu, test } from "./enrolled";
import { openOtherBrowser, signInByCookie } from "./fixtures";
import { heading } from "./wizard-page";

test.describe("a browser that prefers Chinese", () => {
  test.use({ locale: "zh-CN", allowedConsole: [/409 \(Conflict\)/] });

  test("gets the wizard, its errors and the console in Chinese", async ({ page, freshProduct }) => {
    await page.goto(`${freshProduct.url}/setup`);
    await expect(page.locator("html")).toHaveAttribute("lang", "zh");
    await expect(page).toHaveTitle("初始设置 · Patchbay");
    await page.getByRole("button", { name: "开始设置" }).click();
    await page.getByRole("button", { name: "继续" }).click();
    await page.getByRole("button", { name: "创建账户" }).click();
    await expect(page.getByLabel("用户名")).toHaveAccessibleDescription(/必填/);
    await page.getByLabel("用户名").fill("olivia");
    await page.getByLabel("密码", { exact: true }).fill("七只绿色的水壶在唱歌");
    await page.getByLabel("确认密码").fill("七只绿色的水壶在唱歌");
    await page.getByRole("button", { name: "创建账户" }).click();
    await page.getByRole("button", { name: "暂不" }).click();
    await page.getByRole("button", { name: "创建 API 密钥", exact: true }).click();
    await expect(page.getByText("密钥只显示这一次")).toBeVisible();
    await page.getByRole("button", { name: "继续" }).click();
    await page.getByRole("button", { name: "朗读" }).click();
    await expect(page.getByText(/音频，生成用时/)).toBeVisible();
    for (const [path, title] of [
      ["/", "概览"],
      ["/keys", "API 密钥"],
      ["/account", "账户"],
    ] as const) {
      await page.goto(freshProduct.url + path);
      await expect(heading(page, title)).toBeVisible();
    }
    await page.goto(`${freshProduct.url}/settings`);
    await page.getByRole("switch", { name: "自用模式" }).click();
    await expect(page.getByTestId("changes")).toContainText("自用模式：开 → 关");
  });

  test("gets the server's errors in Chinese", async ({ page, freshProduct: { url } }) => {
    const cookie = await setUp(url);
    await signInByCookie(page, url, cookie);
    const { id } = await call<{ id: string }>(url, cookie, "/api/keys", { name: "水壶" });
    await page.goto(`${url}/keys`);
    await page.getByRole("button", { name: "水壶 的操作" }).click();
    await page.getByRole("menuitem", { name: "轮换" }).click();
    await call(url, cookie, `/api/keys/${id}/rotate`, { grace_hours: 1 });
    await page.getByRole("button", { name: "轮换 API 密钥" }).click();
    await expect(page.getByRole("alertdialog")).toContainText(
      "此密钥已轮换，正处于宽限期。请使用取代它的密钥",
    );
  });
});

test("keeps a chosen language after a reload and in another browser of the account", async ({
  page,
  account,
  browser,
}) => {
  await page.goto(`${account.url}/login`);
  await page.getByLabel("Language").selectOption("zh");
  await expect(heading(page, "登录")).toBeVisible();
  await page.reload();
  await expect(heading(page, "登录")).toBeVisible();
  await page.getByLabel("语言").selectOption("en");
  await enterPassword(page, account);
  await openAccountMenu(page);
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await page.getByRole("menuitemradio", { name: "中文" }).click();
  await saved;
  await expect(heading(page, "概览")).toBeVisible();

  const other = await openOtherBrowser(browser);
  await other.goto(`${account.url}/login`);
  await enterPassword(other, account);
  await expect(heading(other, "概览")).toBeVisible();
  await other.context().close();
});

test("shows the default text of the speech playground in the language chosen since", async ({
  page,
  account,
}) => {
  await signInByCookie(page, account.url, account.cookie);
  await page.goto(`${account.url}/playground/speech`);
  const stored = () => page.evaluate(() => sessionStorage.getItem("patchbay-speech-draft"));
  await expect(page.getByRole("textbox", { name: "Text to speak" })).toHaveValue(/^Hello!/);
  await expect.poll(stored).not.toBeNull();
  await page.goto(`${account.url}/account`);
  await openAccountMenu(page);
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await page.getByRole("menuitemradio", { name: "中文" }).click();
  await saved;
  await page.goto(`${account.url}/playground/speech`);
  await expect(page.getByRole("textbox", { name: "要朗读的文字" })).toHaveValue(/^你好！/);
  await page.getByRole("textbox", { name: "要朗读的文字" }).fill("自己的文字");
  await expect.poll(stored).toContain("自己的文字");
  await page.reload();
  await expect(page.getByRole("textbox", { name: "要朗读的文字" })).toHaveValue("自己的文字");
});

test("changes the default text of the speech playground with the language, and no other text", async ({
  page,
  account,
}) => {
  await signInByCookie(page, account.url, account.cookie);
  await page.goto(`${account.url}/playground/speech`);
  const choose = async (language: string) => {
    await openAccountMenu(page);
    const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
    await page.getByRole("menuitemradio", { name: language }).click();
    await saved;
  };
  await expect(page.getByRole("textbox", { name: "Text to speak" })).toHaveValue(/^Hello!/);
  await choose("中文");
  const text = page.getByRole("textbox", { name: "要朗读的文字" });
  await expect(text).toHaveValue(/^你好！/);
  await text.fill("自己的文字");
  await choose("English");
  await expect(page.getByRole("textbox", { name: "Text to speak" })).toHaveValue("自己的文字");
});

test.describe("a system in dark mode", () => {
  test.use({ colorScheme: "dark" });

  test("gets a dark first paint, and a chosen theme overrides it", async ({ page, account }) => {
    await signInByCookie(page, account.url, account.cookie);
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.goto(account.url, { waitUntil: "commit" });
    await expect(heading(page, "Overview")).toBeVisible();
    expect(await background()).toBe("rgb(16, 14, 12)");
    await openAccountMenu(page);
    await page.getByRole("menuitemradio", { name: "Light" }).click();
    await expect.poll(background).toBe("rgb(251, 250, 247)");
    await page.reload();
    expect(await background()).toBe("rgb(251, 250, 247)");
  });
});

test("shows the whole next page in the language that was chosen in another tab", async ({
  ownerPage: page,
  product,
  context,
}) => {
  await page.goto(`${product.url}/keys`);
  await context.addCookies([{ name: LOCALE_COOKIE, value: "zh", url: product.url }]);
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await expect(heading(page, "模型")).toBeVisible();
  await expect(page.getByRole("link", { name: "模型", exact: true })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh");
});
