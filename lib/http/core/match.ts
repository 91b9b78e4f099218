import { MODEL_NAME } from "../../contracts/console/model-name";
import { AppError } from "../../errors";
import type { Method, Parameters, Route, Surface } from "./route";

const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** Ids and names in a path: whatever is printable, within reason. */
const PARAMETER = /^[^\p{Cc}]{1,256}$/u;
const COLON = "(?::|%3[Aa])";

type MethodTable = ReadonlyMap<Method, Route>;

interface Pattern {
  regex: RegExp;
  names: readonly string[];
  methods: Map<Method, Route>;
  /** Ends in `{model}` alone, so that a `:word` behind it may be a method this table does not know. */
  endsInModel: boolean;
  /** The more of a path it spells out, the earlier it is tried. */
  rank: number;
}

export interface RouteTable {
  exact: ReadonlyMap<string, MethodTable>;
  /** By the first two segments (`/v1/engines`), most specific first. */
  patterns: ReadonlyMap<string, readonly Pattern[]>;
}

export type Match =
  | { kind: "found"; route: Route; params: Parameters; fault: AppError | null }
  | { kind: "wrong-method"; surface: Surface; allow: readonly string[] }
  | { kind: "unknown"; surface: Surface };

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
    source += name === "model" ? "(.+)" : name === "method" ? "([A-Za-z]+)" : "([^/]+)";
    last = part.index + part[0].length;
  }
  source += escapeLiteral(path.slice(last));
  return {
    regex: new RegExp(`^${source}$`),
    names,
    methods: new Map(),
    endsInModel: path.endsWith("{model}"),
    rank: path.replaceAll(/\{\w+\}/g, "").length * 10 - names.length,
  };
}

/** `/v1/engines/x/embeddings` → `/v1/engines`; shorter paths as they are. */
function topOf(path: string): string {
  const second = path.indexOf("/", 1);
  if (second === -1) return path;
  const third = path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}

/** Makes the table ready for matching. Throws when two routes share method and path. */
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
  for (const [path, pattern] of byPath) {
    const top = topOf(path);
    patterns.set(
      top,
      [...(patterns.get(top) ?? []), pattern].sort((a, b) => b.rank - a.rank),
    );
  }
  return { exact, patterns };
}

/** The dialect in which a path that is no route is refused. */
export function surfaceOf(path: string): Surface {
  if (path === "/v1beta" || path.startsWith("/v1beta/")) return "gemini";
  if (path.startsWith("/v1/models/") && /:|%3a/i.test(path)) return "gemini";
  if (path === "/v1" || path.startsWith("/v1/")) return "openai";
  return "console";
}

function surfaceFor(route: Route): Surface {
  return route.surface === "plain" ? "console" : route.surface;
}

function allowOf(methods: MethodTable): string[] {
  const names: string[] = [...methods.keys()];
  if (methods.has("GET")) names.push("HEAD");
  return [...names, "OPTIONS"].sort();
}

/** What is wrong with a decoded parameter: nothing, a fault told after the key was checked, or no such address. */
function judge(name: string, value: string): AppError | "nowhere" | null {
  if (name !== "model") return PARAMETER.test(value) ? null : "nowhere";
  if (DOT_SEGMENT.test(value)) return "nowhere";
  if (MODEL_NAME.test(value)) return null;
  return new AppError(
    "invalid",
    "The model in the path is not a model id: up to 128 letters, digits and ._:@+/- and a letter or digit first.",
    { param: "model" },
  );
}

function readParameters(
  pattern: Pattern,
  found: RegExpExecArray,
): { params: Record<string, string>; fault: AppError | null } | "nowhere" {
  const params: Record<string, string> = {};
  let fault: AppError | null = null;
  for (const [index, name] of pattern.names.entries()) {
    // The whole path has been checked to decode.
    const value = decodeURIComponent(found[index + 1] ?? "");
    const verdict = judge(name, value);
    if (verdict === "nowhere") return "nowhere";
    fault ??= verdict;
    params[name] = value;
  }
  return { params, fault };
}

function routeFor(methods: MethodTable, method: string): Route | undefined {
  // A name outside Method simply finds nothing.
  return methods.get((method === "HEAD" ? "GET" : method) as Method);
}

function anyOf(methods: MethodTable): Route | undefined {
  return methods.values().next().value;
}

/** Finds the route of a normalised path (see normalizePath). */
export function matchRoute(table: RouteTable, method: string, path: string): Match {
  const exact = table.exact.get(path);
  if (exact !== undefined) {
    const route = routeFor(exact, method);
    if (route !== undefined) return { kind: "found", route, params: NO_PARAMETERS, fault: null };
    const sibling = anyOf(exact);
    const surface = sibling === undefined ? surfaceOf(path) : surfaceFor(sibling);
    return { kind: "wrong-method", surface, allow: allowOf(exact) };
  }
  for (const pattern of table.patterns.get(topOf(path)) ?? []) {
    const found = pattern.regex.exec(path);
    if (found === null) continue;
    const read = readParameters(pattern, found);
    if (read === "nowhere") break;
    const route = routeFor(pattern.methods, method);
    if (route !== undefined) return { kind: "found", route, ...read };
    if (pattern.endsInModel && read.params.model?.includes(":")) break;
    const sibling = anyOf(pattern.methods);
    const surface = sibling === undefined ? surfaceOf(path) : surfaceFor(sibling);
    return { kind: "wrong-method", surface, allow: allowOf(pattern.methods) };
  }
  return { kind: "unknown", surface: surfaceOf(path) };
}
