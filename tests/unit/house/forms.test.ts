import { expect, test } from "vitest";
import { sourcesBelow } from "../../support/sources";

/** The only component with a form element; its file explains why. */
const FORM = "components/forms/form.tsx";

test("only the form component renders a form, so that no form is submitted to the URL", () => {
  const sources = sourcesBelow("app", "components");
  expect(sources.some(({ file }) => file === FORM)).toBe(true);
  const own = sources.filter(({ file, text }) => file !== FORM && /<form[\s>]/.test(text));
  expect(own.map(({ file }) => file)).toEqual([]);
});
