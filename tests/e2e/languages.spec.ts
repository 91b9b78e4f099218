import { enterPassword, expect, openAccountMenu, test } from "./enrolled";
import { elsewhere, signInByCookie } from "./fixtures";
import { heading } from "./wizard-page";

test.describe("for a browser that asks for Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("the wizard, its faults and the console speak Chinese", async ({ page, freshProduct }) => {
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
  });
});

test("a chosen language holds after a reload and goes with the account to another browser", async ({
  page,
  ownProduct,
  browser,
}) => {
  await page.goto(`${ownProduct.url}/login`);
  await page.getByLabel("Language").selectOption("zh");
  await expect(heading(page, "登录")).toBeVisible();
  await page.reload();
  await expect(heading(page, "登录")).toBeVisible();
  await page.getByLabel("语言").selectOption("en");
  await enterPassword(page);
  await openAccountMenu(page);
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await page.getByRole("menuitemradio", { name: "中文" }).click();
  await saved;
  await expect(heading(page, "概览")).toBeVisible();

  const other = await elsewhere(browser);
  await other.goto(`${ownProduct.url}/login`);
  await enterPassword(other);
  await expect(heading(other, "概览")).toBeVisible();
  await other.context().close();
});

test.describe("in a dark system", () => {
  test.use({ colorScheme: "dark" });

  test("the first paint is dark, and a chosen theme stands over the system's", async ({
    page,
    ownProduct,
  }) => {
    await signInByCookie(page, ownProduct.url, ownProduct.cookie);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.goto(ownProduct.url, { waitUntil: "commit" });
    await expect(heading(page, "Overview")).toBeVisible();
    expect(await ground()).toBe("rgb(16, 14, 12)");
    await openAccountMenu(page);
    await page.getByRole("menuitemradio", { name: "Light" }).click();
    await expect.poll(ground).toBe("rgb(251, 250, 247)");
    await page.reload();
    expect(await ground()).toBe("rgb(251, 250, 247)");
  });
});
