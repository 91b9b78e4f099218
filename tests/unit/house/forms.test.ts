import { expect, test } from "vitest";
import { sourcesBelow } from "../../support/sources";

/** The one place that knows how a form must be made (components/forms/form.tsx says why). */
const FORM = "components/forms/form.tsx";

test("no form can be sent by the browser itself, with its words in the address", () => {
  const sources = sourcesBelow("app", "components");
  expect(sources.some(({ file }) => file === FORM)).toBe(true);
  const own = sources.filter(({ file, text }) => file !== FORM && /<form[\s>]/.test(text));
  expect(own.map(({ file }) => file)).toEqual([]);
});
