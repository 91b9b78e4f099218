import type { Page } from "playwright/test";
import { expect } from "./fixtures";
import { overflow } from "./page-checks";
import { test } from "./routed";
import { PASSWORD } from "./users";

// The longest names that the API accepts, without a space or hyphen to break at.
const LONG = "W".repeat(64);
const MODEL = "m".repeat(64);

/** By how many pixels the widest table or dialog overflows its box: it would be cut or scroll sideways. */
const boxOverflow = (page: Page) =>
  page.evaluate(() => {
    const boxes = [
      ...document.querySelectorAll('[data-slot="table"], [role="dialog"], [role="alertdialog"]'),
    ];
    return Math.max(0, ...boxes.map((one) => one.scrollWidth - one.clientWidth));
  });

test("fits unbroken names of 64 characters into the titles of dialogs, on a phone and at 1440 pixels", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  await routed.call("/api/users", { username: LONG, password: PASSWORD, role: "member" });
  await page.goto(`${url}/users?q=${LONG}`);
  for (const [action, role] of [
    ["Edit", "dialog"],
    ["Delete", "alertdialog"],
  ] as const) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("button", { name: `Actions for ${LONG}` }).click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
    await expect(page.getByRole(role)).toContainText(LONG);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => boxOverflow(page), `${action} at ${width} pixels`).toBeLessThanOrEqual(0);
    }
    await page.keyboard.press("Escape");
    await expect(page.getByRole(role)).toHaveCount(0);
  }
});

test("fits unbroken names of 64 characters into every list, on a phone and at 1024 and 1440 pixels", async ({
  routedPage: page,
  routed,
}) => {
  test.slow();
  const { url } = routed.product;
  await routed.allow();
  const models = [{ name: MODEL, upstream_name: "embed.16", operation: "embeddings" }];
  const { id } = await routed.channel(LONG, { models });
  const { key } = await routed.call("/api/keys", { name: LONG });
  await routed.call("/api/users", {
    username: "long-name",
    password: PASSWORD,
    role: "member",
    display_name: LONG,
  });
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: MODEL, input: "kettle" }),
  });
  expect(reply.status, await reply.text()).toBe(200);
  const [call] = (await routed.call("/api/usage")).items;
  const paths = ["/", "/users", "/keys", "/channels", `/channels/${id}`, "/models", "/usage"];
  for (const path of [...paths, "/logs", `/logs?call=${call.id}`]) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(url + path);
    await expect(page.getByText(/W{20}|m{20}/).first()).toBeAttached();
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => overflow(page), `${path}: page at ${width} pixels`).toBeLessThanOrEqual(0);
      const message = `${path}: box at ${width} pixels`;
      await expect.poll(() => boxOverflow(page), message).toBeLessThanOrEqual(0);
    }
  }
});
