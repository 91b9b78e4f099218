"use client";

import { useTranslations } from "use-intl";
import { BUILT_IN_DESCRIPTIONS } from "@/lib/contracts/console/built-in-models";
import type { Model } from "@/lib/contracts/console/models";

/** A model's description: a built-in one in the page's language, an operator's own as typed. */
export function ModelDescription({ model: { name, description } }: { model: Model }) {
  const t = useTranslations("models.builtIn");
  if (description === "") return null;
  const isBuiltIn = isBuiltInName(name) && description === BUILT_IN_DESCRIPTIONS[name];
  return <span className="max-w-96 text-sm text-ink-muted">{isBuiltIn ? t(name) : description}</span>;
}

function isBuiltInName(name: string): name is keyof typeof BUILT_IN_DESCRIPTIONS {
  return Object.hasOwn(BUILT_IN_DESCRIPTIONS, name);
}
