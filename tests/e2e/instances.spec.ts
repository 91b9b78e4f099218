import path from "node:path";
import Database from "libsql";
import { setUp } from "../support/product";
import { expect, signInByCookie, test } from "./fixtures";

test("lists the instances with their load and warns about an unresponsive one and mixed versions", async ({
  page,
  freshProduct,
}) => {
  const { url, dataDirectory } = freshProduct;
  const cookie = await setUp(url);
  await signInByCookie(page, url, cookie);
  await page.goto(`${url}/settings`);
  await page.getByRole("link", { name: "Instances" }).click();
  await expect(page).toHaveURL(/section=instances/);
  const table = page.getByRole("table", { name: "Instances" });
  const own = table.getByRole("row").filter({ hasText: "This one" });
  await expect(own).toContainText("Running");
  await expect(own).toContainText(`:${new URL(url).port}`);
  await expect(own).toContainText(/\d+ MB/);
  await expect(page.getByText(/^1 instance · [\d.]+ requests\/s/)).toBeVisible();

  // A second instance of another version, whose last report is 15 seconds old.
  const file = new Database(path.join(dataDirectory, "patchbay.db"));
  file.exec("pragma busy_timeout = 5000");
  const at = Date.now() - 15_000;
  file
    .prepare(
      `insert into instances (id, heartbeat_at, server, host, address, version, pid, started_at, draining, in_flight,
       requests_per_minute, cpu_percent, memory_bytes, change_lag_ms)
       values ('x', ?, 'x', 'kitchen', '192.0.2.7:3000', '0.0.9', 4711, ?, 0, 12, 5490, 83, 312000000, 140)`,
    )
    .run([at, at - 7_200_000]);
  file.close();
  const other = table.getByRole("row").filter({ hasText: "kitchen" });
  await expect(other).toContainText("Not responding", { timeout: 10_000 });
  await expect(other).toContainText("91.5");
  await expect(page.getByText("Instances run different versions")).toBeVisible();
  await expect(page.getByText("An instance isn’t responding")).toBeVisible();
});

test.describe("when the list of instances can no longer be read", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("shows Retry beside the last known states and reads the list again on Retry", async ({
    ownerPage: page,
    product,
  }) => {
    await page.goto(`${product.url}/settings?section=instances`);
    const own = page.getByRole("row").filter({ hasText: "This one" });
    await expect(own).toContainText("Running");
    let isDown = true;
    await page.route("**/api/instances", (route) =>
      isDown
        ? route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } })
        : route.continue(),
    );
    const retry = page.getByRole("main").getByRole("button", { name: "Retry" });
    await expect(retry).toBeVisible();
    await expect(own).toBeVisible();
    isDown = false;
    await retry.click();
    await expect(retry).toHaveCount(0);
  });
});
