import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { ModelDescription } from "@/components/models/model-description";
import { ensureEmbedded } from "@/lib/console/channels/ensure-embedded";
import type { Model } from "@/lib/contracts/console/models";
import { messagesFor } from "@/lib/messages/catalogue";
import { testServices } from "../../support/services";

function textOf(locale: "en" | "zh", fields: Pick<Model, "name" | "description">): string {
  // Only the fields that the description depends on.
  const children = createElement(ModelDescription, { model: fields as Model });
  const intl = { locale, timeZone: "UTC", messages: messagesFor(locale, ["models"]), children };
  return renderToStaticMarkup(createElement(IntlProvider, intl)).replace(/<[^>]+>/g, "");
}

test("the description of every built-in model is shown in the page's language", async () => {
  const services = await testServices();
  await ensureEmbedded(services.store, services.clock);
  const models = await services.store.models.all();
  await services.close();
  expect(models).toHaveLength(3);
  for (const model of models) {
    expect(textOf("en", model)).toBe(model.description);
    expect(textOf("zh", model)).toMatch(/^[^a-z]*在本机|由 .* 在本机/);
  }
});

test("an operator's own description is shown as typed", () => {
  const own = { name: "patchbay-speech", description: "For the kitchen radio" };
  expect(textOf("zh", own)).toBe("For the kitchen radio");
  expect(textOf("zh", { name: "constructor", description: "Mine" })).toBe("Mine");
  expect(textOf("zh", { ...own, description: "" })).toBe("");
});
