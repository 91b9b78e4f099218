import { z } from "zod";
import { LimitOverrides, Limits } from "../limits";
import { Usd } from "../money";
import { boundedLine, HOST, OCTET, PORT } from "../text";
import { Timestamp } from "../timestamp";
import { wholeNumber } from "../whole-number";
import { MODEL_NAME } from "./model-name";
import { Password } from "./password";
import { Role } from "./user";

const Hours = z
  .number("Must be a number.")
  .min(0.25, "Must be 0.25 or more.")
  .max(24 * 30, "Must be 720 or less.");
const Days = wholeNumber(1, 3_650).nullable();
const Megabytes = wholeNumber(0, 4_096);

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
// A last label that begins with a digit would be parsed as part of an IPv4 address.
const ORIGIN_PATTERN = `^https?://(?:(?:${label}\\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?|(?:${OCTET}\\.){3}${OCTET}|\\[::1\\])(?::${PORT})?$`;
const IS_ORIGIN = new RegExp(ORIGIN_PATTERN);
const DEFAULT_PORT_PATTERN = "^(?:http://[^:]*:80|https://[^:]*:443)$";

/** `scheme://host[:port]` as browsers send it: no path, no default port, no wildcard. */
function isOrigin(text: string): boolean {
  return IS_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
const Origin = z
  .string()
  .max(256, "Must have at most 256 characters.")
  .refine(isOrigin, "Must be an origin: scheme, host and port only.")
  .meta({
    pattern: ORIGIN_PATTERN,
    not: { pattern: DEFAULT_PORT_PATTERN },
    description: "As browsers send it: lower case, no path, no default port",
    examples: ["https://app.example.com"],
  });

const WEBHOOK_PATTERN = `^[Hh][Tt][Tt][Pp][Ss]?://${HOST}(?::${PORT})?(?:[/?#][!-~]*)?$`;

const ChannelMinutes = z.int().min(1).max(1_440).nullable();
const ErrorPercent = z.int().min(1).max(100).nullable();

/** A rule for one model or one API key; null or false: off. Other models and keys keep the general rules. */
export const ScopedAlertRule = z.discriminatedUnion("scope", [
  z.strictObject({
    scope: z.literal("model"),
    model: z.string().regex(MODEL_NAME, 'Must be a model\'s name, such as "tts-1".'),
    /** Error rate of the model's requests. */
    error_rate_percent: ErrorPercent,
    /** Replaces the general rule for channels that do not serve this model at the moment. */
    channel_open_minutes: ChannelMinutes,
  }),
  z.strictObject({
    scope: z.literal("key"),
    key_id: boundedLine(1, 64),
    /** Error rate of the key's requests. */
    error_rate_percent: ErrorPercent,
    /** Replaces the general rule for this key's budgets. */
    budgets: z.boolean(),
  }),
]);
export type ScopedAlertRule = z.infer<typeof ScopedAlertRule>;

/** Names the model or API key of a rule; two rules with the same text are duplicates. */
const subjectOfRule = (rule: ScopedAlertRule) =>
  rule.scope === "model" ? `model ${rule.model}` : `key ${rule.key_id}`;

export const MAX_ALERT_RULES = 100;

/** Alert rules; null or false: off. */
const AlertRules = z.strictObject({
  channel_open_minutes: ChannelMinutes,
  error_rate_percent: ErrorPercent,
  budgets: z.boolean(),
  disk_free_percent: z.int().min(1).max(50).nullable(),
  rules: z
    .array(ScopedAlertRule)
    .max(MAX_ALERT_RULES)
    .refine(
      (rules) => new Set(rules.map(subjectOfRule)).size === rules.length,
      "Each model and API key once.",
    ),
});

/** A webhook for alerts; null: none. Without any, alerts appear only on their page. */
const WebhookUrl = z
  .url({ protocol: /^https?$/, error: "Must be a complete URL, such as https://hooks.example.com/patchbay." })
  .max(2_048, "Must have at most 2048 characters.")
  .meta({ pattern: WEBHOOK_PATTERN, examples: ["https://hooks.example.com/patchbay"] })
  .nullable()
  .meta({
    description:
      "Where alerts are posted to; null: nowhere. Private addresses and plain http need an entry in " +
      "PATCHBAY_WEBHOOK_ALLOW. A reply has only host and last characters " +
      "(https://hooks.example.com/****cdef). A request that sends this back, or leaves the field out, keeps the URL. " +
      "A URL that cannot be decrypted with the server's secrets is https://undecryptable.invalid/****.",
  });

/** Settings of the whole instance, by their names in the store. */
export const Settings = z.strictObject({
  /** No prices or budgets needed. */
  self_use_mode: z.boolean(),
  /** Only the owner may change settings. */
  demo_site: z.boolean(),
  /** Visitors may create a member's account. */
  self_registration: z.boolean(),
  /** Monthly budget of self-registered users, until an administrator changes it; null: no limit. */
  registration_budget_usd: Usd.nullable(),
  /** Longest lifetime and idle timeout of sessions, in hours. */
  session_hours: z.strictObject({
    admin_absolute: Hours,
    admin_idle: Hours,
    member_absolute: Hours,
    member_idle: Hours,
  }),
  /** Roles that reach only their own account until they enable 2FA. */
  two_factor_roles: z.array(Role).max(3),
  /** Shortest new password; null: the environment's value. */
  password_minimum: wholeNumber(8, 64).nullable(),
  /** Stores prompts with ledger entries. */
  keep_prompts: z.boolean(),
  /** Days after which ledger entries and prompts are deleted; null: never. Sums are kept. */
  retention_days: z.strictObject({ usage: Days, prompts: Days }),
  /**
   * Days after which counts of rejected requests are deleted; the oldest may be deleted earlier when there are too
   * many.
   */
  rejection_retention_days: Days,
  /** `webhook_url` gets signed JSON, `slack_url` messages in Slack's form. */
  alerts: AlertRules.extend({ webhook_url: WebhookUrl, slack_url: WebhookUrl }),
  /** Web origins whose pages may call `/v1` and `/v1beta`. */
  cors_origins: z.array(Origin).max(100),
  /** Memory of the caches in MiB; 0: off. */
  caches: z.strictObject({ embeddings_mb: Megabytes, speech_mb: Megabytes }),
  /** Cached results of one user also answer identical requests of others. */
  share_caches: z.boolean(),
  /** Limits that override the environment's. */
  limits: LimitOverrides,
});
export type Settings = z.infer<typeof Settings>;

/** The settings without the webhook URLs, which are secrets: stored encrypted and never exported. */
export const OpenSettings = Settings.extend({ alerts: AlertRules });
/** Alert rules as earlier versions stored them: without rules for single models and API keys. */
export const EarlierAlertRules = AlertRules.extend({ rules: AlertRules.shape.rules.default([]) });
export type OpenSettings = z.infer<typeof OpenSettings>;

export const DEFAULT_SETTINGS: OpenSettings = {
  self_use_mode: false,
  demo_site: false,
  self_registration: false,
  registration_budget_usd: "5",
  session_hours: { admin_absolute: 24, admin_idle: 1, member_absolute: 24 * 7, member_idle: 24 },
  two_factor_roles: [],
  password_minimum: null,
  keep_prompts: false,
  retention_days: { usage: null, prompts: 7 },
  rejection_retention_days: 14,
  alerts: {
    channel_open_minutes: 2,
    error_rate_percent: 20,
    budgets: true,
    disk_free_percent: 5,
    rules: [],
  },
  cors_origins: [],
  caches: { embeddings_mb: 64, speech_mb: 64 },
  share_caches: false,
  limits: {},
};

export const UpdateSettings = Settings.partial().extend({
  alerts: AlertRules.extend({
    /** Absent: the rules of models and keys are unchanged. */
    rules: AlertRules.shape.rules.optional(),
    webhook_url: WebhookUrl.optional(),
    slack_url: WebhookUrl.optional(),
  }).optional(),
  /** The version last read; a stale one is refused. */
  version: z.int(),
});
export type UpdateSettings = z.infer<typeof UpdateSettings>;

export const VersionedSettings = Settings.extend({ version: z.int() });
export type VersionedSettings = z.infer<typeof VersionedSettings>;

const CacheFigures = z.strictObject({
  /** Capacity; 0: off. */
  limit_bytes: z.int(),
  bytes: z.int(),
  entries: z.int(),
  hits: z.int(),
  misses: z.int(),
});
export type CacheFigures = z.infer<typeof CacheFigures>;

/** `GET /api/settings/instance`: values of the environment, and the current values of the answering process. */
export const InstanceFacts = z.strictObject({
  version: z.string(),
  /** `PATCHBAY_BASE_URL`; null: the Host header of each request is used. */
  base_url: z.string().nullable(),
  store: z.enum(["sqlite", "postgres"]),
  time_zone: z.string(),
  /** Minimum password length from the environment. */
  password_minimum: z.int(),
  /** `PATCHBAY_UPSTREAM_ALLOW`: private upstreams that are allowed in addition to `GET /api/upstreams/allowed`. */
  upstream_allow: z.array(z.string()),
  /** Limits that apply where the settings override none: the environment's, else the defaults. */
  base_limits: Limits,
  caches: z.strictObject({ embeddings: CacheFigures, speech: CacheFigures }),
  metrics: z.strictObject({
    /** Source of the token of `/metrics`; null: none, and only this machine may read it. */
    token: z.enum(["environment", "console"]).nullable(),
    made_at: Timestamp.nullable(),
  }),
});
export type InstanceFacts = z.infer<typeof InstanceFacts>;

/** The owner's password, for confirmation. */
export const OwnerProof = z.strictObject({ password: Password });
export type OwnerProof = z.infer<typeof OwnerProof>;

/** `POST /api/settings/metrics-token`: returned only once. */
export const MetricsToken = z.strictObject({ token: z.string() });
export type MetricsToken = z.infer<typeof MetricsToken>;
