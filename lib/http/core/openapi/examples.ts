import { isRecord } from "../../../contracts/is-record";
import type { Json } from "./json-schema";

const EXAMPLE_TIME = "2026-11-22T09:30:00.000Z";

/** Example values by field name, used where the schema gives only a type; for a list, the value of one element. */
const EXAMPLES_BY_FIELD: Readonly<Record<string, unknown>> = {
  aliases: "our-voice",
  action: "key.create",
  actor: "usr_4kQ9vT2mXc7LpR8sWd1ZyB",
  actor_name: "olivia",
  address: "203.0.113.7",
  allowed_addresses: "203.0.113.0/24",
  allowed_models: "patchbay-speech",
  audio_ms: 1_480,
  audio_wav: "UklGRiQAAABXQVZFZm10IA==",
  backup_codes: "7K2QF-9XMRD",
  base_url: "https://api.openai.com/v1",
  baseModelId: "patchbay-speech",
  channel_id: "chn_8mN3bV5xKq2TfY7rGh4JwC",
  channel_name: "OpenAI",
  confirmPassword: "four quiet lanterns drift",
  created: 1_795_339_800,
  data: "AAABAAIAAwA=",
  default_base_url: "https://api.openai.com/v1",
  device: "Firefox on Linux",
  dimensions: 1_024,
  display: "sk-pb-ab…wxyz",
  display_name: "Olivia",
  displayName: "patchbay-speech",
  default_voice: "Kore",
  description: "Built-in speech in 96 languages",
  email: "olivia@example.com",
  embedding: 0.0123,
  end_user: "customer-42",
  error: "upstream_timeout",
  fault: "connection_refused",
  fields: "priority",
  finishReason: "STOP",
  first_byte_ms: 210,
  flow_token: "kT3vQ9mXc7LpR8sWd1ZyB4nJ6hF2gA5eU0iO-_xVbNm",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  headers: { "x-team": "voice" },
  id: "usr_4kQ9vT2mXc7LpR8sWd1ZyB",
  key: "sk-pb-4kQ9vT2mXc7LpR8sWd1ZyB6nHfJg3AeU0iOxVbNm",
  key_display: "sk-pb-ab…wxyz",
  key_id: "key_2fA6eU0iOx9VbNm4kQvT7c",
  key_name: "Website",
  label: "Website",
  languages: "en-US",
  latency_ms: 640,
  max_characters: 32_000,
  max_input_tokens: 8_192,
  message: "",
  mimeType: "audio/L16;codec=pcm;rate=24000",
  model: "patchbay-speech",
  models: "patchbay-speech",
  modelVersion: "patchbay-speech",
  name: "Website",
  next_cursor: "WzE3OTUzMzk4MDAwMDAsImtleV8yZkE2ZVUwaU94OVZiTm00a1F2VDdjIl0",
  nextPageToken: "YWZ0ZXI6cGF0Y2hiYXktZW1iZWQ",
  newest_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  otpauth_uri: "otpauth://totp/Patchbay:olivia?secret=JBSWY3DPEHPK3PXP&issuer=Patchbay",
  owned_by: "patchbay",
  owner_id: "usr_4kQ9vT2mXc7LpR8sWd1ZyB",
  password: "four quiet lanterns drift",
  password_minimum: 8,
  path: "name",
  period: "2026-11-22",
  periods: "2026-11-22",
  prompt: "The kettle is on.",
  provider: "openai",
  reason: null,
  request_id: "req-7f3a",
  responseId: "kT3vQ9mXc7LpR8sWd1Z",
  secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  seq: 42,
  share: 1,
  status: 200,
  subject: "chn_8mN3bV5xKq2TfY7rGh4JwC",
  subject_name: "OpenAI",
  supportedGenerationMethods: "generateContent",
  tag: "newsletter",
  tags: "newsletter",
  target: "key_2fA6eU0iOx9VbNm4kQvT7c",
  target_name: "Website",
  targets: "192.168.1.9:8000",
  time_zone: "Europe/Zurich",
  token: "kT3vQ9mXc7LpR8sWd1ZyB4nJ6hF2gA5eU0iO-_xVbNm",
  upstream_allow: "10.0.0.0/8",
  upstream_name: "tts-1",
  upstream_status: 504,
  user: "customer-42",
  user_id: "usr_4kQ9vT2mXc7LpR8sWd1ZyB",
  user_name: "olivia",
  username: "olivia",
  version: 1,
  weight: 1,
};

/** Example IDs by collection: each resource has an ID prefix of its own. */
const EXAMPLE_IDS: Readonly<Record<string, string>> = {
  keys: "key_2fA6eU0iOx9VbNm4kQvT7c",
  channels: "chn_8mN3bV5xKq2TfY7rGh4JwC",
  invites: "inv_5eU0iOx9VbNm4kQvT72fA6",
  sessions: "ses_9VbNm4kQvT72fA65eU0iOx",
  alerts: "alt_6A5eU0iOx9VbNm4kQvT72f",
  usage: "usg_17953398000000iOx9VbNm4kQ",
};

export function exampleId(path: string): string {
  const collection = path.split("/")[path.startsWith("/api/user/") ? 3 : 2] ?? "";
  return EXAMPLE_IDS[collection] ?? String(EXAMPLES_BY_FIELD.id);
}

export function exampleModel(path: string): string {
  return /embed/i.test(path) ? "patchbay-embed-en" : "patchbay-speech";
}

function typeOf(schema: Json): unknown {
  return Array.isArray(schema.type) ? schema.type[0] : schema.type;
}

function isOfType(value: unknown, schema: Json): boolean {
  switch (typeOf(schema)) {
    case "string":
      return typeof value === "string";
    case "integer":
    case "number":
      return typeof value === "number";
    case "object":
      return isRecord(value);
    default:
      return false;
  }
}

/** The minimum of a number, but not below 0. */
function numberIn({ minimum }: Json): number {
  return typeof minimum === "number" ? Math.max(minimum, 0) : 0;
}

function resolve(schema: Json, components: Json): Json {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? ""))?.[1];
  const found = name === undefined ? undefined : components[name];
  return isRecord(found) ? found : schema;
}

/** A value that matches a reply's schema, with every field and one element in each list. */
export function exampleOf(given: Json, components: Json, name = "", id?: string): unknown {
  const schema = resolve(given, components);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray)?.filter(isRecord);
  if (choices !== undefined && schema.type === undefined) {
    const [first = {}] = choices;
    return exampleOf(first, components, name, id);
  }
  const known = name === "id" && id !== undefined ? id : EXAMPLES_BY_FIELD[name];
  if (known !== undefined && isOfType(known, schema)) return known;
  switch (typeOf(schema)) {
    case "object":
      return exampleObject(schema, components, id);
    case "array":
      return isRecord(schema.items) ? [exampleOf(schema.items, components, name, id)] : [];
    case "integer":
    case "number":
      return numberIn(schema);
    case "boolean":
      return true;
    case "string":
      return exampleText(schema);
    default:
      return null;
  }
}

function exampleObject({ properties }: Json, components: Json, id?: string): Json {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  return Object.fromEntries(
    fields.flatMap(([name, field]) =>
      isRecord(field) ? [[name, exampleOf(field, components, name, id)]] : [],
    ),
  );
}

function exampleText({ format, pattern }: Json): string {
  if (format === "date-time") return EXAMPLE_TIME;
  if (format === "date") return EXAMPLE_TIME.slice(0, 10);
  return pattern === undefined ? "text" : "";
}
