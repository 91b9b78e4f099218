"use client";

import { useTranslations } from "use-intl";
import {
  codePoints,
  costOf,
  estimateSpeech,
  type GatewayModel,
  pricingOfModel,
} from "@/lib/client/gateway-models";
import { doorOf, OPENAI_INPUT_LIMIT, type SpeechCall } from "@/lib/client/speech-call";
import { useQuantities } from "../charts/use-quantities";

/** The longest text this call may carry, in characters; null: not told. */
export function textLimit(call: SpeechCall, model: GatewayModel | null): number | null {
  const own = model?.maxCharacters ?? null;
  if (doorOf(call) === "gemini") return own;
  return Math.min(own ?? OPENAI_INPUT_LIMIT, OPENAI_INPUT_LIMIT);
}

export function isTooLong(call: SpeechCall, model: GatewayModel | null): boolean {
  const limit = textLimit(call, model);
  return limit !== null && codePoints(call.text) > limit;
}

/** Seconds that a call will probably sound. */
export function expectedSeconds(call: SpeechCall): number {
  return estimateSpeech(call.text).seconds / call.speed;
}

/** How long the text is, how long it will sound and what it will cost, before it is sent. */
export function TextFacts({ id, call, model }: { id: string; call: SpeechCall; model: GatewayModel | null }) {
  const t = useTranslations("speech");
  const show = useQuantities();
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
  const dollars = model ? costOf(model.prices, { ...estimate, seconds }) : 0;
  const pricing = model ? pricingOfModel(model) : "unpriced";
  return (
    <p id={id} className="tabular flex flex-wrap gap-x-2 text-sm text-ink-muted">
      <span>{t("text.count", { count: codePoints(call.text) })}</span>
      <span aria-hidden="true" className="text-ink-faint">
        ·
      </span>
      <span>{t("text.length", { seconds: show.duration(Math.max(1, Math.round(seconds)) * 1000) })}</span>
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
