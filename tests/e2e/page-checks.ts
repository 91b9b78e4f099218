import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "playwright/test";

/**
 * The violations of axe's rules on the page, or in what `within` selects. In legacy mode axe opens no second page to
 * combine the results of several frames (there is one), and it collects no passed rules: less than half of the CPU.
 */
export async function axeViolations(
  page: Page,
  { rules, within }: { rules?: string[]; within?: string } = {},
): Promise<string[]> {
  expect(page.frames().length, "frames").toBe(1);
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  if (rules !== undefined) axe.withRules(rules);
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

/** How many pixels the page is wider than the window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** Placeholders that are wider than their fields. */
export const cutPlaceholders = (page: Page) =>
  page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("input")]
      .filter((input) => input.placeholder && input.checkVisibility())
      .filter((input) => {
        const style = getComputedStyle(input);
        if (context) context.font = style.font;
        const space =
          input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
        return (context?.measureText(input.placeholder).width ?? 0) > space + 1;
      })
      .map((input) => input.placeholder);
  });

/** Elements with an animation or transition above 10 ms, pseudo-elements included. */
export const slowMotion = (page: Page) =>
  page.evaluate(() => {
    const longest = (list: string) => Math.max(...list.split(",").map((one) => Number.parseFloat(one)));
    return [...document.querySelectorAll('[class*="animate"], [class*="transition"]')]
      .flatMap((element) =>
        [null, "::before", "::after"].map((pseudo) => [element, getComputedStyle(element, pseudo)] as const),
      )
      .filter(([, style]) => {
        const moves = style.animationName !== "none" && longest(style.animationDuration) > 0.01;
        return moves || longest(style.transitionDuration) > 0.01;
      })
      .map(([element]) => element.outerHTML.slice(0, 120));
  });

/**
 * Walks through a page with Tab and returns the elements that got the focus without being seen: outside of the window,
 * or without an outline, ring or border of their own.
 */
export async function unseenFocus(page: Page): Promise<{ stops: number; unseen: string[] }> {
  const unseen: string[] = [];
  const seen = new Set<string>();
  for (let press = 0; press < 25; press += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return null;
      const box = element.getBoundingClientRect();
      // A radio or file input that covers its label shows the focus on the label.
      const shown = element.closest("label:has(:focus-visible)") ?? element;
      // A text area in a box shows the focus on the box.
      const around = [1, 2, 3, 4].reduce<Element[]>(
        (all) => [...all, all.at(-1)?.parentElement ?? element],
        [element],
      );
      const marks = [shown, ...around].map((one) => getComputedStyle(one));
      const isMarked = marks.some(
        (style) => style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0,
      );
      const isInside =
        box.bottom > 0 && box.right > 0 && box.top < window.innerHeight && box.left < window.innerWidth;
      return { html: element.outerHTML.slice(0, 160), isSeen: isMarked && isInside };
    });
    if (stop === null) break;
    seen.add(stop.html);
    if (!stop.isSeen) unseen.push(stop.html);
  }
  return { stops: seen.size, unseen };
}
