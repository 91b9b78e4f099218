import { z } from "zod";
import { Budget, BudgetChange, Spent } from "../money";
import { ListQuery } from "../paging";
import { displayText } from "../text";
import { Timestamp } from "../timestamp";
import { CallLimitFields, CallLimits } from "./call-limits";
import { MODEL_NAME } from "./model-name";
import { LastRejection } from "./rejections";
import { Role } from "./user";

export const Operation = z.enum(["speech", "embeddings", "manage"]);
export type Operation = z.infer<typeof Operation>;

/** The form of an API key: prefix, 32 random characters and 6 of CRC32, in base62. */
export const API_KEY_PATTERN = /^sk-pb-[0-9A-Za-z]{38}$/;

/** Limits that each key has separately: two keys may use twice as much as one. */
export const PER_KEY_LIMITS = [
  "rpm",
  "tpm",
  "concurrency",
  "budget.total_usd",
  "budget.daily_usd",
  "budget.monthly_usd",
] as const;

/** Limits of a key, as errors and `limits_set_by` name them. */
export const KeyLimit = z.enum([
  "enabled",
  "expires_at",
  "operations",
  "allowed_models",
  "allowed_addresses",
  ...PER_KEY_LIMITS,
]);
export type KeyLimit = z.infer<typeof KeyLimit>;

/**
 * Limits set by a user other than the key's owner, with that user's role at the time; lower roles cannot loosen them.
 */
export const LimitAuthors = z.partialRecord(KeyLimit, Role).meta({
  description:
    "Limits that were set by another user than the key's owner, with that user's role. Lower roles may tighten " +
    "them, not loosen them. `enabled` means that the key was disabled.",
});
export type LimitAuthors = z.infer<typeof LimitAuthors>;

export const ApiKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  display: z.string(),
  enabled: z.boolean(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  operations: z.array(Operation),
  allowed_models: z.array(z.string()),
  allowed_addresses: z.array(z.string()),
  ...CallLimits.shape,
  budget: Budget,
  limits_set_by: LimitAuthors,
  spent: Spent,
  /** The latest rejected request; null: none is recorded. */
  last_rejected: LastRejection.nullable(),
  owner_id: z.string(),
  /** The owner, as lists show them. */
  owner: z.strictObject({ username: z.string(), display_name: z.string(), role: Role }),
  version: z.int(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Query of `GET /api/keys`: `owner_id` selects one user's keys, `me` the caller's. */
export const KeyQuery = ListQuery.extend({ owner_id: z.string().min(1).max(64).optional() });
export type KeyQuery = z.output<typeof KeyQuery>;

/** A key with its secret, which is returned only once. */
export const ApiKeyWithSecret = ApiKey.extend({ key: z.string() });
export type ApiKeyWithSecret = z.infer<typeof ApiKeyWithSecret>;

const ModelName = z.string().regex(MODEL_NAME, 'Must be a model\'s name, such as "patchbay-speech".');
const Address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "Must be an address or a range such as 203.0.113.0/24.",
});
const writable = {
  name: displayText(64),
  enabled: z.boolean(),
  expires_at: z.iso
    .datetime({ offset: true, error: "Must be a time such as 2027-01-31T12:00:00Z." })
    .meta({ isFuture: true })
    .nullable(),
  operations: z
    .array(Operation)
    .min(1, "Must have at least one operation.")
    .max(3)
    .refine((list) => new Set(list).size === list.length, "Must not repeat an operation.")
    .meta({ uniqueItems: true }),
  allowed_models: z.array(ModelName).max(100),
  allowed_addresses: z.array(Address).max(100),
  ...CallLimitFields,
  budget: BudgetChange,
};

/** `POST /api/keys`: by default speech and embeddings without limits. */
export const CreateKey = z.strictObject(writable).partial().required({ name: true });
export type CreateKey = z.infer<typeof CreateKey>;

/** `PATCH /api/keys/{id}`: `version` as last read. */
export const UpdateKey = z.strictObject(writable).partial().extend({ version: z.int() });
export type UpdateKey = z.infer<typeof UpdateKey>;

export const MAX_GRACE_HOURS = 24;

/** `POST /api/keys/{id}/rotate`: hours for which the old key stays valid. */
export const RotateKey = z.strictObject({ grace_hours: z.number().min(0).max(MAX_GRACE_HOURS).default(0) });
export type RotateKey = z.infer<typeof RotateKey>;

export const PlaygroundKey = z.strictObject({ key: z.string(), expires_at: Timestamp });
export type PlaygroundKey = z.infer<typeof PlaygroundKey>;
