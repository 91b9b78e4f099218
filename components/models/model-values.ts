import type { Resolver } from "react-hook-form";
import { CreateModel, type Model, UpdateModel } from "@/lib/contracts/console/models";
import {
  dollarsOrNull,
  dollarsText,
  numberOrNull,
  numberText,
  splitWords,
  textOrNull,
} from "../forms/limit-values";
import { requestResolver } from "../forms/request-resolver";
import type { FieldErrorTranslator } from "../forms/rule-text";

export const PRICE_FIELDS = [
  "input_per_million_tokens",
  "input_per_million_characters",
  "output_per_million_tokens",
  "output_per_million_seconds",
] as const;

export const LIMIT_FIELDS = {
  speech: ["max_characters", "max_audio_seconds"],
  embeddings: ["max_input_tokens", "dimensions"],
} as const;

type PriceField = (typeof PRICE_FIELDS)[number];
type LimitField = (typeof LIMIT_FIELDS)[keyof typeof LIMIT_FIELDS][number];

/** State of the model form as typed; an empty string means null. */
export interface ModelValues extends Record<PriceField | LimitField, string> {
  name: string;
  operation: Model["operation"];
  aliases: string;
  description: string;
  default_voice: string;
  can_shorten: boolean;
  cacheable: boolean;
  batching: boolean;
}

export const MODEL_FIELDS = [
  "name",
  "operation",
  "aliases",
  "description",
  "default_voice",
  "can_shorten",
  "cacheable",
  "batching",
  ...PRICE_FIELDS,
  ...LIMIT_FIELDS.speech,
  ...LIMIT_FIELDS.embeddings,
] as const satisfies readonly (keyof ModelValues)[];

export const NEW_MODEL: ModelValues = {
  name: "",
  operation: "speech",
  aliases: "",
  description: "",
  default_voice: "",
  can_shorten: true,
  cacheable: false,
  batching: true,
  input_per_million_tokens: "",
  input_per_million_characters: "",
  output_per_million_tokens: "",
  output_per_million_seconds: "",
  max_characters: "",
  max_audio_seconds: "",
  max_input_tokens: "",
  dimensions: "",
};

export function valuesOf(model: Model): ModelValues {
  return {
    name: model.name,
    operation: model.operation,
    aliases: model.aliases.join(" "),
    description: model.description,
    default_voice: model.default_voice ?? "",
    can_shorten: model.can_shorten,
    cacheable: model.cacheable,
    batching: model.batching,
    input_per_million_tokens: dollarsText(model.prices.input_per_million_tokens),
    input_per_million_characters: dollarsText(model.prices.input_per_million_characters),
    output_per_million_tokens: dollarsText(model.prices.output_per_million_tokens),
    output_per_million_seconds: dollarsText(model.prices.output_per_million_seconds),
    max_characters: numberText(model.max_characters),
    max_audio_seconds: numberText(model.max_audio_seconds),
    max_input_tokens: numberText(model.max_input_tokens),
    dimensions: numberText(model.dimensions),
  };
}

/**
 * The request of the form. For a new model empty fields are left out, so that the server fills in the shipped prices
 * and limits; for a saved model they are sent as null, which removes the value.
 */
function requestOf(values: ModelValues, before: Model | null): unknown {
  const isSpeech = values.operation === "speech";
  const isSent = (entry: [string, unknown]) => before !== null || entry[1] !== null;
  const prices = PRICE_FIELDS.map((name): [string, unknown] => [name, dollarsOrNull(values[name])]);
  const limits = LIMIT_FIELDS[values.operation].map((name): [string, unknown] => [
    name,
    numberOrNull(values[name]),
  ]);
  const voice: [string, unknown] = ["default_voice", textOrNull(values.default_voice)];
  const names = isSpeech ? (["cacheable"] as const) : (["cacheable", "batching", "can_shorten"] as const);
  const switches = names.map((name) => [name, values[name]] as const);
  const defaults = { ...NEW_MODEL, cacheable: !isSpeech };
  const sentPrices = prices.filter(isSent);
  return {
    ...(before === null ? { name: values.name, operation: values.operation } : { version: before.version }),
    aliases: splitWords(values.aliases),
    ...(before === null && values.description.trim() === ""
      ? {}
      : { description: values.description.trim() }),
    ...(sentPrices.length > 0 ? { prices: Object.fromEntries(sentPrices) } : {}),
    ...Object.fromEntries(limits.filter(isSent)),
    ...(isSpeech ? Object.fromEntries([voice].filter(isSent)) : {}),
    ...Object.fromEntries(switches.filter(([name, isOn]) => before !== null || isOn !== defaults[name])),
  };
}

/** The form field of an issue's path: `prices.input_per_million_tokens`, `aliases.2`. */
export function fieldOf(path: string): string {
  const [first = "", second = ""] = path.split(".");
  return first === "prices" ? second : first;
}

/** Validates the form with the contract's schema; `before`: the model that is being edited. */
export function modelResolver(
  t: FieldErrorTranslator,
  before: Model | null,
): Resolver<ModelValues, unknown, CreateModel | UpdateModel> {
  return requestResolver<ModelValues, CreateModel | UpdateModel>(
    before ? UpdateModel : CreateModel,
    { toRequest: (values) => requestOf(values, before), fields: MODEL_FIELDS, fieldOf },
    t,
  );
}
