import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import path from "node:path";
import { z } from "zod";
import { describeIssue } from "../../contracts/describe-issue";
import { Limits } from "../../contracts/limits";
import { isAllowEntry } from "../../providers/outbound/allow-list";
import { parseRedisUrl, REDIS_URL_FORMS } from "../../shared-state/redis/address";

/** The only module that reads the environment. */

function integer(min: number, max: number) {
  const words = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,6}$/, words)
    .transform(Number)
    .refine((value) => value >= min && value <= max, words);
}

const Switch = z
  .enum(["on", "off", "1", "0", "true", "false"], "must be on or off")
  .transform((value) => ["on", "1", "true"].includes(value));

const Processes = z
  .string()
  .regex(/^(?:auto|[1-9]\d?)$/, "must be auto or a whole number from 1 to 99")
  .transform((value) => (value === "auto" ? availableParallelism() : Number(value)));

/** As pg reads it: `postgres://user@/database` is a local socket. */
function isDatabaseUrl(value: string): boolean {
  return value.startsWith("file:") || URL.canParse(value.replace("@/", "@localhost/"));
}
const NOT_A_URL =
  "is not a URL; in a password write %2F for /, %23 for #, %3F for ?, %40 for @ and %25 for %";

const DatabaseUrl = z
  .string()
  .regex(/^(?:file:.+|postgres(?:ql)?:\/\/.+)$/, "must be file:<path> or postgres://<host>/<database>")
  .refine(isDatabaseUrl, NOT_A_URL);

const RedisUrl = z.string().transform((value, context) => {
  const address = parseRedisUrl(value);
  if (address !== null) return address;
  context.addIssue(`must be ${REDIS_URL_FORMS}`);
  return z.NEVER;
});

const BaseUrl = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    error: "must be an http(s) URL",
    abort: true,
  })
  .refine((value) => new URL(value).pathname === "/", "must not have a path")
  .transform((value) => new URL(value).origin);

/** `192.0.2.1`, `2001:db8::/32`. An entry that cannot match would silently leave a proxy untrusted. */
function isAddressOrRange(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

const List = z.string().transform((value) => value.split(/[\s,]+/).filter((one) => one !== ""));

const AddressList = List.refine(
  (list) => list.every(isAddressOrRange),
  "must be addresses or CIDRs, with commas between them",
);

const AllowList = List.refine(
  (list) => list.every(isAllowEntry),
  "must be host:port, hosts, addresses or CIDRs, with commas between them",
);

const LimitsText = z.string().transform((value, context) => {
  try {
    const limits = Limits.safeParse(JSON.parse(value), { error: describeIssue });
    if (limits.success) return limits.data;
    const [issue] = limits.error.issues;
    context.addIssue(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim());
  } catch {
    context.addIssue("must be a JSON object");
  }
  return z.NEVER;
});

const Variables = z.object({
  PORT: integer(0, 65_535).optional(),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, "must be an address or a host name")
    .optional(),
  NODE_ENV: z.string().optional(),
  PATCHBAY_DATA_DIR: z.string().optional(),
  DATABASE_URL: DatabaseUrl.optional(),
  DATABASE_URL_DIRECT: z
    .string()
    .regex(/^postgres(?:ql)?:\/\/.+$/, "must be postgres://<host>/<database>")
    .refine(isDatabaseUrl, NOT_A_URL)
    .optional(),
  REDIS_URL: RedisUrl.optional(),
  REDIS_TLS_CA: z.string().optional(),
  PATCHBAY_SHARED_CACHE_MB: integer(0, 65_536).optional(),
  PATCHBAY_SECRET: z.string().optional(),
  PATCHBAY_SECRET_PREVIOUS: z.string().optional(),
  PATCHBAY_BASE_URL: BaseUrl.optional(),
  PATCHBAY_TRUSTED_PROXIES: AddressList.optional(),
  // A token from a file may end with a line break.
  PATCHBAY_SETUP_TOKEN: z
    .string()
    .trim()
    .min(16, "must be 16 characters or more")
    .max(512, "must be 512 characters or fewer")
    .optional(),
  PATCHBAY_SETUP_OPEN: Switch.optional(),
  PATCHBAY_PASSWORD_MIN: integer(8, 256).optional(),
  PATCHBAY_UPSTREAM_ALLOW: AllowList.optional(),
  PATCHBAY_WEBHOOK_ALLOW: AllowList.optional(),
  PATCHBAY_METRICS_TOKEN: z
    .string()
    .trim()
    .min(8, "must be 8 characters or more")
    .regex(/^\S+$/, "must not contain white space")
    .optional(),
  PATCHBAY_LEGACY_ENGINES: Switch.optional(),
  PATCHBAY_DRAIN_SECONDS: integer(0, 3_600).optional(),
  PATCHBAY_VOICES: Switch.optional(),
  PATCHBAY_PROCESSES: Processes.optional(),
  PATCHBAY_VOICES_URL: z.url({ protocol: /^https?$/, error: "must be an http(s) URL" }).optional(),
  PATCHBAY_LIMITS: LimitsText.optional(),
  PATCHBAY_LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
      "must be an http(s) URL",
    )
    .optional(),
  OTEL_METRIC_EXPORT_INTERVAL: integer(100, 999_999).optional(),
  PATCHBAY_TLS_CERT: z.string().optional(),
  PATCHBAY_TLS_KEY: z.string().optional(),
  /** For tests: only the Node adapter, without Next's pages. */
  PATCHBAY_API_ONLY: Switch.optional(),
});

/** PEM files of the server's own TLS; the certificate's file may hold the chain. */
export interface TlsFiles {
  certificate: string;
  key: string;
}

export type Environment = ReturnType<typeof readEnvironment>;

/** An invalid setting; the process prints its message and exits. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

function tlsFiles(certificate: string | undefined, key: string | undefined): TlsFiles | null {
  if (certificate === undefined && key === undefined) return null;
  if (certificate === undefined)
    throw new SettingError("PATCHBAY_TLS_CERT: missing; PATCHBAY_TLS_KEY needs it");
  if (key === undefined) throw new SettingError("PATCHBAY_TLS_KEY: missing; PATCHBAY_TLS_CERT needs it");
  return { certificate, key };
}

function defaultDatabaseUrl(dataDirectory: string): string {
  return `file:${path.join(dataDirectory, "patchbay.db")}`;
}

/** The variable that decides where the store is. */
export function storeVariable(env: Environment): "PATCHBAY_DATA_DIR" | "DATABASE_URL" {
  return env.databaseUrl === defaultDatabaseUrl(env.dataDirectory) ? "PATCHBAY_DATA_DIR" : "DATABASE_URL";
}

/** Parses the environment variables. Throws SettingError naming the first invalid one. */
export function readEnvironment(source: Readonly<Record<string, string | undefined>> = process.env) {
  // Shells and compose files write an absent variable as an empty one.
  const set = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Variables.safeParse(set);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SettingError(`${String(issue?.path[0] ?? "environment")}: ${issue?.message ?? "is not valid"}`);
  }
  const given = parsed.data;
  if (given.PATCHBAY_SHARED_CACHE_MB && given.REDIS_URL === undefined)
    throw new SettingError("PATCHBAY_SHARED_CACHE_MB: needs REDIS_URL");
  if (given.REDIS_TLS_CA !== undefined && !given.REDIS_URL?.isTls)
    throw new SettingError("REDIS_TLS_CA: needs a REDIS_URL with TLS, such as rediss://host:6379");
  const dataDirectory = path.resolve(/* turbopackIgnore: true */ given.PATCHBAY_DATA_DIR ?? "./data");
  return {
    port: given.PORT ?? 3000,
    host: given.HOST ?? "0.0.0.0",
    /** Null: plain http, or TLS in a proxy. */
    tls: tlsFiles(given.PATCHBAY_TLS_CERT, given.PATCHBAY_TLS_KEY),
    dataDirectory,
    /** Folder of the local voices, and a mirror of their archives; null: PATCHBAY_VOICES=off. */
    voices:
      given.PATCHBAY_VOICES === false
        ? null
        : { directory: path.join(dataDirectory, "voices"), mirror: given.PATCHBAY_VOICES_URL ?? null },
    databaseUrl: given.DATABASE_URL ?? defaultDatabaseUrl(dataDirectory),
    /** URL of PostgreSQL without a connection pooler in between, for LISTEN; null: `databaseUrl` is used. */
    databaseUrlDirect: given.DATABASE_URL_DIRECT ?? null,
    redis: given.REDIS_URL ?? null,
    /** File with the certificate of the authority that signed Redis' certificate; null: those that Node knows. */
    redisTlsCa: given.REDIS_TLS_CA ?? null,
    /** Most bytes of one user's cached vectors and speech in Redis; 0: none are shared. */
    sharedCacheBytes: (given.PATCHBAY_SHARED_CACHE_MB ?? 0) * 1024 * 1024,
    /** PATCHBAY_SECRET; null: the file `secret` in the data directory is used (lib/server/process/secret.ts). */
    secret: given.PATCHBAY_SECRET ?? null,
    /** PATCHBAY_SECRET_PREVIOUS: one secret, or several with commas or spaces between. */
    previousSecrets: given.PATCHBAY_SECRET_PREVIOUS ?? null,
    baseUrl: given.PATCHBAY_BASE_URL ?? null,
    trustedProxies: given.PATCHBAY_TRUSTED_PROXIES ?? [],
    setupToken: given.PATCHBAY_SETUP_TOKEN ?? null,
    isSetupOpen: given.PATCHBAY_SETUP_OPEN ?? false,
    passwordMinimum: given.PATCHBAY_PASSWORD_MIN ?? 8,
    upstreamAllow: given.PATCHBAY_UPSTREAM_ALLOW ?? [],
    webhookAllow: given.PATCHBAY_WEBHOOK_ALLOW ?? [],
    metricsToken: given.PATCHBAY_METRICS_TOKEN ?? null,
    /** Null: no OpenTelemetry collector. The SDK itself reads the collector's address and most settings. */
    telemetry:
      given.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : { metricIntervalMs: given.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000 },
    legacyEngines: given.PATCHBAY_LEGACY_ENGINES ?? false,
    drainMs: (given.PATCHBAY_DRAIN_SECONDS ?? 25) * 1_000,
    /** Number of gateway processes that share the port. */
    processes: given.PATCHBAY_PROCESSES ?? 1,
    limits: given.PATCHBAY_LIMITS ?? Limits.parse({}),
    logLevel: given.PATCHBAY_LOG_LEVEL ?? "info",
    isNodeAdapterOnly: given.PATCHBAY_API_ONLY ?? false,
  };
}

/** Sets the environment variables that next-auth reads. Call it before Next loads. */
export function provideToNextAuth(values: { secret: string; url: string }): void {
  process.env.NEXTAUTH_SECRET = values.secret;
  process.env.NEXTAUTH_URL = values.url;
}

/**
 * True when Node's options name the lenient HTTP parser in one of the usual spellings. A quoted part of the name is not
 * found; the server's own option refuses the parser in any case.
 */
export function isParserLoosened(): boolean {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ");
  return options.replaceAll("_", "-").includes("--insecure-http-parser");
}

/** Sets what Next and React read: the mode, and no telemetry. Call it before either is loaded. */
export function provideMode(isDevelopment: boolean): void {
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  // Next's types declare NODE_ENV read-only.
  (process.env as Record<string, string>).NODE_ENV = isDevelopment ? "development" : "production";
}
