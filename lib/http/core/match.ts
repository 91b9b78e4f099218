import type { Method } from "../../contracts/console/endpoints";
import { MODEL_NAME, MODEL_NAME_RULE } from "../../contracts/console/model-name";
import { AppError } from "../../errors";
import type { Parameters, Route, Surface } from "./route";

const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** IDs and names in a path: printable characters, at most 256. */
const PARAMETER = /^[^\p{Cc}]{1,256}$/u;
/** A model ID may have colons; the last one begins the method. */
const METHOD_OF_MODEL = /:([^:]*)$/;
const COLON = "(?::|%3[Aa])";

type MethodTable = ReadonlyMap<Method, Route>;

interface Pattern {
  regex: RegExp;
  names: readonly string[];
  methods: Map<Method, Route>;
  /** Ends in `{model}`, so a `:word` at the end may be a method that this table does not have. */
  endsInModel: boolean;
  /** Has literal segments after `{model}`, but the name of a model may end in the same segments (`acme/route`). */
  endsLikeModel: boolean;
  /** Grows with the number of literal characters; patterns of higher rank are matched first. */
  rank: number;
}

export interface RouteTable {
  exact: ReadonlyMap<string, MethodTable>;
  /** Keyed by the first two segments (`/v1/engines`), most specific first. */
  patterns: ReadonlyMap<string, readonly Pattern[]>;
  /** The methods of the paths that end in `{model}:method`, by the first two segments, in the order of the routes. */
  modelMethods: ReadonlyMap<string, readonly string[]>;
}

export type Match =
  | { kind: "found"; route: Route; params: Parameters; error: AppError | null }
  | { kind: "wrong-method"; surface: Surface; allow: readonly string[] }
  /** `modelMethod`: for `{model}:asked`, the methods that exist for some model. */
  | { kind: "unknown"; surface: Surface; modelMethod?: { asked: string; known: readonly string[] } };

const NO_PARAMETERS: Parameters = {};

function escapeLiteral(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(":", COLON);
}

function compilePattern(path: string): Pattern {
  const names: string[] = [];
  let source = "";
  let last = 0;
  for (const part of path.matchAll(/\{(\w+)\}/g)) {
    const name = part[1] ?? "";
    names.push(name);
    source += escapeLiteral(path.slice(last, part.index));
    source += name === "model" ? "(.+)" : "([^/]+)";
    last = part.index + part[0].length;
  }
  source += escapeLiteral(path.slice(last));
  return {
    regex: new RegExp(`^${source}$`),
    names,
    methods: new Map(),
    endsInModel: path.endsWith("{model}"),
    endsLikeModel: path.includes("{model}/"),
    rank: path.replaceAll(/\{\w+\}/g, "").length * 10 - names.length,
  };
}

/** `/v1/engines/x/embeddings` → `/v1/engines`; shorter paths unchanged. */
function firstTwoSegments(path: string): string {
  const second = path.indexOf("/", 1);
  if (second === -1) return path;
  const third = path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}

/** Compiles the route table. Throws when two routes share method and path. */
export function compileRoutes(routes: readonly Route[]): RouteTable {
  const exact = new Map<string, Map<Method, Route>>();
  const byPath = new Map<string, Pattern>();
  for (const route of routes) {
    const isPattern = route.path.includes("{");
    let methods = isPattern ? byPath.get(route.path)?.methods : exact.get(route.path);
    if (methods === undefined) {
      if (isPattern) {
        const pattern = compilePattern(route.path);
        byPath.set(route.path, pattern);
        methods = pattern.methods;
      } else {
        methods = new Map();
        exact.set(route.path, methods);
      }
    }
    if (methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    methods.set(route.method, route);
  }
  const patterns = new Map<string, Pattern[]>();
  const modelMethods = new Map<string, string[]>();
  for (const [path, pattern] of byPath) {
    const top = firstTwoSegments(path);
    const modelMethod = /\{model\}:(\w+)$/.exec(path)?.[1];
    if (modelMethod !== undefined) modelMethods.set(top, [...(modelMethods.get(top) ?? []), modelMethod]);
    patterns.set(
      top,
      [...(patterns.get(top) ?? []), pattern].sort((a, b) => b.rank - a.rank),
    );
  }
  return { exact, patterns, modelMethods };
}

/** The dialect of the error for an unknown path. */
export function surfaceOf(path: string): Surface {
  if (/^(?:\/v1)?\/v1beta(?:\/|$)/.test(path)) return "gemini";
  if (path.startsWith("/v1/models/") && /:|%3a/i.test(path)) return "gemini";
  if (path === "/v1" || path.startsWith("/v1/")) return "openai";
  return "console";
}

/** The surface that decides the form of a route's errors. */
export function surfaceOfRoute(route: Route): Surface {
  return route.surface === "plain" ? "console" : route.surface;
}

function allowOf(methods: MethodTable): string[] {
  const names: string[] = [...methods.keys()];
  if (methods.has("GET")) names.push("HEAD");
  return [...names, "OPTIONS"].sort();
}

/**
 * Checks a decoded parameter: null when valid, an error to report after authentication, or "not-found" for an unknown
 * URL.
 */
function checkParameter(name: string, value: string): AppError | "not-found" | null {
  if (name !== "model") return PARAMETER.test(value) ? null : "not-found";
  if (DOT_SEGMENT.test(value)) return "not-found";
  if (MODEL_NAME.test(value)) return null;
  return new AppError("invalid", `The model in the path is not a valid model name: ${MODEL_NAME_RULE}`, {
    param: "model",
  });
}

function readParameters(
  pattern: Pattern,
  found: RegExpExecArray,
): { params: Record<string, string>; error: AppError | null } | "not-found" {
  const params: Record<string, string> = {};
  let error: AppError | null = null;
  for (const [index, name] of pattern.names.entries()) {
    // isDecodable has checked the whole path.
    const value = decodeURIComponent(found[index + 1] ?? "");
    const problem = checkParameter(name, value);
    if (problem === "not-found") return "not-found";
    error ??= problem;
    params[name] = value;
  }
  return { params, error };
}

function routeFor(methods: MethodTable, method: string): Route | undefined {
  // A name outside Method is not in the map.
  return methods.get((method === "HEAD" ? "GET" : method) as Method);
}

/** The answer for a path that has routes, but none for the method. */
function wrongMethodOf(methods: MethodTable, path: string): Match {
  const sibling = methods.values().next().value;
  const surface = sibling === undefined ? surfaceOf(path) : surfaceOfRoute(sibling);
  return { kind: "wrong-method", surface, allow: allowOf(methods) };
}

/** Finds the route of a normalized path (see normalizePath). */
export function matchRoute(table: RouteTable, method: string, path: string): Match {
  const exact = table.exact.get(path);
  if (exact !== undefined) {
    const route = routeFor(exact, method);
    if (route !== undefined) return { kind: "found", route, params: NO_PARAMETERS, error: null };
    return wrongMethodOf(exact, path);
  }
  let wrongMethod: Match | null = null;
  for (const pattern of table.patterns.get(firstTwoSegments(path)) ?? []) {
    const found = pattern.regex.exec(path);
    if (found === null) continue;
    const read = readParameters(pattern, found);
    if (read === "not-found") break;
    const route = routeFor(pattern.methods, method);
    if (route !== undefined) return { kind: "found", route, ...read };
    const asked = pattern.endsInModel ? METHOD_OF_MODEL.exec(read.params.model ?? "")?.[1] : undefined;
    if (asked !== undefined) {
      const known = table.modelMethods.get(firstTwoSegments(path)) ?? [];
      return { kind: "unknown", surface: surfaceOf(path), modelMethod: { asked, known } };
    }
    wrongMethod ??= wrongMethodOf(pattern.methods, path);
    if (!pattern.endsLikeModel) break;
  }
  return wrongMethod ?? { kind: "unknown", surface: surfaceOf(path) };
}
