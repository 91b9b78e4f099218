import type { EmbeddingsCall } from "../../lib/client/embeddings-call";
import { MAX_TEXTS } from "./texts";

/** What a link may set. */
export type EmbeddingsLink = Partial<EmbeddingsCall> & { query?: string };

/** The page's state in the URL's fragment: `#text=…&text=…&model=…&dimensions=256&query=…`. */
export function writeEmbeddingsLink(call: EmbeddingsCall, query: string): string {
  const fields = new URLSearchParams();
  for (const text of call.texts) fields.append("text", text);
  if (call.model) fields.set("model", call.model);
  if (call.dimensions !== null) fields.set("dimensions", String(call.dimensions));
  if (call.format !== "float") fields.set("format", call.format);
  if (query) fields.set("query", query);
  return `#${fields.toString()}`;
}

/** Parses a fragment; null when it has none of the known fields. */
export function readEmbeddingsLink(fragment: string): EmbeddingsLink | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const state: EmbeddingsLink = {};
  const texts = fields.getAll("text").slice(0, MAX_TEXTS);
  if (texts.length > 0) state.texts = texts;
  const model = fields.get("model");
  if (model) state.model = model;
  const dimensions = Number(fields.get("dimensions") ?? Number.NaN);
  if (Number.isInteger(dimensions) && dimensions > 0) state.dimensions = dimensions;
  if (fields.get("format") === "base64") state.format = "base64";
  const query = fields.get("query");
  if (query) state.query = query;
  return Object.keys(state).length === 0 ? null : state;
}
