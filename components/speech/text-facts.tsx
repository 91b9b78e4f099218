"use client";

import { useTranslations } from "use-intl";
import {
  codePoints,
  estimateCost,
  estimateSpeech,
  type GatewayModel,
  pricingOfModel,
} from "@/lib/client/gateway-models";
import { dialectOf, OPENAI_INPUT_LIMIT, type SpeechCall } from "@/lib/client/speech-call";
import { useAmounts } from "../charts/use-amounts";

/** The maximum text length of this call in code points; null: unknown. */
function textLimit(call: SpeechCall, model: GatewayModel | null): number | null {
  const modelLimit = model?.maxCharacters ?? null;
  if (dialectOf(call) === "gemini") return modelLimit;
  return Math.min(modelLimit ?? OPENAI_INPUT_LIMIT, OPENAI_INPUT_LIMIT);
}

export function isTooLong(call: SpeechCall, model: GatewayModel | null): boolean {
  const limit = textLimit(call, model);
  return limit !== null && codePoints(call.text) > limit;
}

/** Estimated duration of a call's audio in seconds. */
export function expectedSeconds(call: SpeechCall): number {
  return estimateSpeech(call.text).seconds / call.speed;
}

/** Length of the text, with the estimated duration and cost of its audio. */
export function TextFacts({ id, call, model }: { id: string; call: SpeechCall; model: GatewayModel | null }) {
  const t = useTranslations("speech");
  const show = useAmounts();
  const estimate = estimateSpeech(call.text);
  const seconds = expectedSeconds(call);
  const limit = textLimit(call, model);
  if (limit !== null && isTooLong(call, model)) {
    return (
      <p id={id} role="alert" className="tabular text-sm text-bad">
        {t("text.count", { count: codePoints(call.text) })} · {t("text.tooLong", { limit })}
      </p>
    );
  }
  if (call.text.trim() === "") {
    return (
      <p id={id} className="text-sm text-ink-muted">
        {t("needText")}
      </p>
    );
  }
  const dollars = model ? estimateCost(model.prices, { ...estimate, seconds }) : 0;
  const pricing = model ? pricingOfModel(model) : "unpriced";
  return (
    <p id={id} className="tabular flex flex-wrap gap-x-2 text-sm text-ink-muted">
      <span>{t("text.count", { count: codePoints(call.text) })}</span>
      <span aria-hidden="true" className="text-ink-faint">
        ·
      </span>
      <span>{t("text.length", { seconds: show.ms(Math.max(1, Math.round(seconds)) * 1000) })}</span>
      <span aria-hidden="true" className="text-ink-faint">
        ·
      </span>
      <span>
        {pricing === "priced"
          ? t("text.cost", { cost: show.money(dollars) })
          : t(pricing === "free" ? "text.free" : "text.noPrice")}
      </span>
    </p>
  );
}
