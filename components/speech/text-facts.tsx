"use client";

import { useTranslations } from "use-intl";
import { estimateCost, estimateSpeech, type GatewayModel, pricingOfModel } from "@/lib/client/gateway-models";
import { dialectOf, OPENAI_INPUT_LIMIT, type SpeechCall } from "@/lib/client/speech-call";
import { codePoints } from "@/lib/contracts/code-points";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { Facts } from "../ui/facts";

/** The maximum text length of this call in code points; null: unknown. */
function textLimit(call: SpeechCall, model: GatewayModel | null): number | null {
  const modelLimit = model?.maxCharacters ?? null;
  if (dialectOf(call) === "gemini") return modelLimit;
  return Math.min(modelLimit ?? OPENAI_INPUT_LIMIT, OPENAI_INPUT_LIMIT);
}

/** True where the text is too long for the call, given the model's limit. */
export function isTooLong(call: SpeechCall, model: GatewayModel | null): boolean {
  const limit = textLimit(call, model);
  return limit !== null && codePoints(call.text) > limit;
}

/** Estimated duration of a call's audio in seconds. */
export function expectedSeconds(call: SpeechCall): number {
  return estimateSpeech(call.text).seconds / call.speed;
}

/** A call with its model; null: unknown. */
export interface ModelCall {
  call: SpeechCall;
  model: GatewayModel | null;
}

/** Estimated cost of calls in dollars; `unpriced` where a model has no price. */
function estimateCalls(calls: readonly ModelCall[]): number | "free" | "unpriced" {
  const pricings = calls.map(({ model }) => (model ? pricingOfModel(model) : "unpriced"));
  if (pricings.includes("unpriced")) return "unpriced";
  if (pricings.every((one) => one === "free")) return "free";
  const costs = calls.map(({ call, model }) => {
    const estimate = { ...estimateSpeech(call.text), seconds: expectedSeconds(call) };
    return model ? estimateCost(model.prices, estimate) : 0;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** Length of the text, with the estimated duration of its audio and the cost of all calls. */
export function TextFacts({
  id,
  calls,
  hint,
}: {
  id: string;
  /** The call of the page, or the calls of a comparison. They all have the same text and speed. */
  calls: readonly [ModelCall, ...ModelCall[]];
  /** What is missing before the calls can be made; shown instead of the facts. */
  hint: string | null;
}) {
  const t = useTranslations("speech");
  const facts = useTranslations("playground.facts");
  const show = useAmounts();
  const { call, model } = calls.find((one) => isTooLong(one.call, one.model)) ?? calls[0];
  const seconds = expectedSeconds(call);
  const limit = textLimit(call, model);
  const tooLong = limit !== null && isTooLong(call, model) ? t("text.tooLong", { limit }) : null;
  const line = () => {
    const count = t("text.count", { count: codePoints(call.text) });
    if (tooLong !== null)
      return (
        <Facts>
          {count}
          {tooLong}
        </Facts>
      );
    const missing = call.text.trim() === "" ? t("needText") : hint;
    if (missing !== null) return missing;
    const cost = estimateCalls(calls);
    return (
      <Facts>
        {count}
        {t("text.length", { seconds: show.ms(Math.max(1, Math.round(seconds)) * 1000) })}
        {typeof cost === "number"
          ? t("text.cost", { cost: show.money(cost) })
          : facts(cost === "free" ? "free" : "noPrice")}
      </Facts>
    );
  };
  return (
    <>
      {/* Without the count: screen readers would read it after every key. */}
      <p role="alert" className="sr-only">
        {tooLong}
      </p>
      <p id={id} className={cn("tabular text-sm", tooLong === null ? "text-ink-muted" : "text-bad")}>
        {line()}
      </p>
    </>
  );
}
