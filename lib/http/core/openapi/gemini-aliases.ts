import { isRecord } from "../../../contracts/is-record";
import { type Json, refTo } from "./json-schema";

/** Registers a schema that is used more than once; returns a reference to it. */
type Define = (name: string, schema: Json) => Json;

const ONE_OF_FIELDS = ["exactlyOne", "atMostOne", "atLeastOne"] as const;

function snakeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The names under which a field may be sent. */
function formsOf(name: string): string[] {
  const alias = snakeOf(name);
  return alias === name ? [name] : [name, alias];
}

function namesIn(schema: Json, rule: (typeof ONE_OF_FIELDS)[number]): string[] {
  const names = schema[rule];
  return Array.isArray(names) ? names.map(String) : [];
}

const required = (name: string): Json => ({ required: [name] });
const absent = (names: readonly string[]): Json => ({
  properties: Object.fromEntries(names.map((name) => [name, false])),
});

/** One alternative per form of `names` that forbids the other forms; with `mayBeNone`, also one without any. */
function exactlyOneForm(names: readonly string[], mayBeNone: boolean): Json {
  const forms = names.flatMap(formsOf);
  const each = forms.map((form) => ({
    ...required(form),
    ...absent(forms.filter((other) => other !== form)),
  }));
  return { oneOf: mayBeNone ? [absent(forms), ...each] : each };
}

/**
 * A Gemini request as it may be sent: each camelCase field also under its snake_case name, and not under both
 * (lib/http/gateway/gemini/field-names.ts). `exactlyOne`, `atMostOne` and `atLeastOne` of the contracts' metadata become
 * schemas. Shared parts go to `define`, else every level of nesting would double the document.
 */
export function withAliases(schema: Json, define: Define): Json {
  const joined: Json = { ...schema };
  for (const key of ["anyOf", "oneOf"] as const) {
    const parts = schema[key];
    if (Array.isArray(parts))
      joined[key] = parts.map((part) => (isRecord(part) ? withAliases(part, define) : part));
  }
  if (isRecord(schema.items)) joined.items = withAliases(schema.items, define);
  return isRecord(schema.properties) ? aliasedObject(joined, schema.properties, define) : joined;
}

function aliasedObject(schema: Json, fields: Json, define: Define): Json {
  const properties: Json = {};
  const dependentSchemas: Json = {};
  const rules: Json[] = Array.isArray(schema.allOf) ? [...schema.allOf] : [];
  const needed = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const exclusive = ["exactlyOne", "atMostOne"] as const;
  const grouped = new Set(exclusive.flatMap((rule) => namesIn(schema, rule)));

  for (const [name, field] of Object.entries(fields)) {
    const own = isRecord(field) ? withAliases(field, define) : field;
    const forms = formsOf(name);
    const [camel, snake] = forms;
    const isNested = isRecord(own) && (own.properties !== undefined || own.items !== undefined);
    const shared = snake !== undefined && isNested ? define(name, own) : own;
    for (const form of forms) properties[form] = shared;
    if (snake === undefined || camel === undefined || grouped.has(name)) continue;
    if (needed.includes(name)) rules.push({ oneOf: forms.map(required) });
    else if (isRecord(own) && own.not === undefined)
      dependentSchemas[snake] = { properties: { [camel]: false } };
  }
  for (const rule of exclusive) {
    const names = namesIn(schema, rule);
    if (names.length > 0) rules.push(exactlyOneForm(names, rule === "atMostOne"));
  }
  const some = namesIn(schema, "atLeastOne");
  if (some.length > 0) rules.push({ anyOf: some.flatMap(formsOf).map(required) });

  const { required: _required, allOf: _allOf, ...rest } = schema;
  for (const rule of ONE_OF_FIELDS) delete rest[rule];
  const plain = needed.filter((name) => formsOf(name).length === 1);
  return {
    ...rest,
    properties,
    ...(plain.length > 0 ? { required: plain } : {}),
    ...(Object.keys(dependentSchemas).length > 0 ? { dependentSchemas } : {}),
    ...(rules.length > 0 ? { allOf: rules } : {}),
  };
}

/** Stores shared schemas in `components` under the field's name, numbered where two of one name differ. */
export function definitions(components: Json): Define {
  return (field, schema) => {
    const base = `Gemini${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    const text = JSON.stringify(schema);
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}${number}`;
      components[name] ??= schema;
      if (JSON.stringify(components[name]) === text) return refTo(name);
    }
  };
}
