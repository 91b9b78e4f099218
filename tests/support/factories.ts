import type { Clock } from "../../lib/ports/clock";
import type {
  AuditEntry,
  Budget,
  ChannelRecord,
  FlowRecord,
  InviteRecord,
  KeyRecord,
  ModelRecord,
  SessionRecord,
  Store,
  TwoFactorRecord,
  UsageRecord,
  UserRecord,
} from "../../lib/ports/store";

/** Clocks, and valid, unique records; a test names only the fields it is about. */

/** The current time in tests; a Monday in September 2026. */
export const NOW = 1_790_000_000_000;

export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** A clock that moves only when the test moves it; wall and monotonic time move together. */
export class FakeClock implements Clock {
  constructor(public at = NOW) {}
  now = (): number => this.at;
  monotonic = (): number => this.at;
  advance(ms: number): void {
    this.at += ms;
  }
}

export const NO_BUDGET: Budget = { totalNano: null, dailyNano: null, monthlyNano: null };
export const PERIOD = { day: "2026-09-21", month: "2026-09" };

let made = 0;

export function unique(prefix: string): string {
  made += 1;
  return `${prefix}_${made.toString(36).padStart(5, "0")}`;
}

export function userRecord(fields: Partial<UserRecord> = {}): UserRecord {
  const id = fields.id ?? unique("usr");
  return {
    id,
    username: `Name-${id}`,
    usernameKey: `name-${id}`,
    displayName: `Display ${id}`,
    email: null,
    emailKey: null,
    role: "member",
    enabled: true,
    passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
    passwordVersion: 1,
    locale: null,
    rpm: null,
    tpm: null,
    concurrency: null,
    budget: NO_BUDGET,
    createdAt: NOW,
    version: 1,
    ...fields,
  };
}

export function inviteRecord(madeBy: string, fields: Partial<InviteRecord> = {}): InviteRecord {
  return {
    id: unique("inv"),
    kind: "invite",
    digest: unique("digest"),
    role: "member",
    email: null,
    userId: null,
    passwordVersion: null,
    madeBy,
    createdAt: NOW,
    expiresAt: NOW + 1_000,
    usedAt: null,
    ...fields,
  };
}

export function twoFactorRecord(userId: string, fields: Partial<TwoFactorRecord> = {}): TwoFactorRecord {
  return {
    userId,
    enrolmentId: unique("enr"),
    encryptedSecret: "v1.00000000.bm9uY2U.c2VhbGVk",
    state: "pending",
    lastStep: 0,
    failures: 0,
    locks: 0,
    lockedUntil: null,
    createdAt: NOW,
    ...fields,
  };
}

export function sessionRecord(userId: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: unique("ses"),
    userId,
    authenticatedAt: NOW,
    lastSeenAt: NOW,
    expiresAt: NOW + 3_600_000,
    device: "Firefox on Linux",
    address: "127.0.0.1",
    method: "password",
    passwordVersion: 1,
    ...fields,
  };
}

export function flowRecord(userId: string, fields: Partial<FlowRecord> = {}): FlowRecord {
  return {
    digest: unique("flow"),
    userId,
    passwordVersion: 1,
    enrolmentId: "enr_1",
    attemptsLeft: 5,
    expiresAt: NOW + 300_000,
    ...fields,
  };
}

export function keyRecord(ownerId: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  const id = fields.id ?? unique("key");
  return {
    id,
    digest: `digest-${id}`,
    display: "sk-pb-ab…wxyz",
    name: `Key ${id}`,
    ownerId,
    kind: "api",
    sessionId: null,
    enabled: true,
    createdAt: NOW,
    expiresAt: null,
    lastUsedAt: null,
    operations: ["speech", "embeddings"],
    allowedModels: [],
    allowedAddresses: [],
    rpm: null,
    tpm: null,
    concurrency: null,
    budget: NO_BUDGET,
    limitsSetBy: {},
    version: 1,
    ...fields,
  };
}

/** An upstream with a value in every field. */
export function channelRecord(fields: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    id: unique("chn"),
    name: "An upstream",
    provider: "openai",
    baseUrl: "https://api.example.com/v1",
    keys: [{ id: "k1", encrypted: "v1.00000000.bm9uY2U.c2VhbGVk", display: "****wxyz" }],
    models: [{ name: "tts", upstreamName: "tts-1" }],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: null,
    timeouts: { connectMs: 1_000 },
    headers: { "x-team": "speech" },
    options: { voices: { alloy: "af_sky" }, batching: true },
    enabled: true,
    embedded: false,
    createdAt: NOW,
    version: 1,
    ...fields,
  };
}

const BUILT_IN = {
  baseUrl: null,
  keys: [],
  timeouts: {},
  headers: {},
  options: {},
  embedded: true,
} satisfies Partial<ChannelRecord>;

/** The built-in embeddings engine. */
export function lexicalChannel(fields: Partial<ChannelRecord> = {}): ChannelRecord {
  return channelRecord({
    ...BUILT_IN,
    id: "chn_1",
    name: "Built-in embeddings",
    provider: "lexical",
    models: [{ name: "patchbay-embed", upstreamName: "patchbay-embed" }],
    createdAt: 0,
    ...fields,
  });
}

/** The built-in speech engine. */
export function speechChannel(id: string, fields: Partial<ChannelRecord> = {}): ChannelRecord {
  return channelRecord({
    ...BUILT_IN,
    id,
    name: id,
    provider: "embedded-speech",
    models: [{ name: "patchbay-speech", upstreamName: "patchbay-speech" }],
    createdAt: 0,
    ...fields,
  });
}

/** The channel of a folder of local voices. */
export function localVoiceChannel(folder: string, fields: Partial<ChannelRecord> = {}): ChannelRecord {
  return channelRecord({
    id: `chn_voice_${folder}`,
    name: folder,
    provider: "local-voices",
    models: [{ name: folder, upstreamName: folder }],
    ...BUILT_IN,
    ...fields,
  });
}

/** A speech model with a value in every field that speech has. */
export function modelRecord(fields: Partial<ModelRecord> = {}): ModelRecord {
  return {
    name: unique("model"),
    aliases: [],
    operation: "speech",
    description: "Speaks.",
    prices: {
      inputPerMillionTokens: 20_000_000,
      inputPerMillionCharacters: null,
      outputPerMillionTokens: null,
      outputPerMillionSeconds: 1,
    },
    maxCharacters: 4_096,
    maxAudioSeconds: 600,
    dimensions: null,
    canShorten: false,
    maxInputTokens: null,
    defaultVoice: "alloy",
    cacheable: true,
    batching: false,
    enabled: true,
    createdAt: NOW,
    version: 1,
    ...fields,
  };
}

const FREE: ModelRecord["prices"] = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

export function embedModel(fields: Partial<ModelRecord> = {}): ModelRecord {
  return modelRecord({
    name: "patchbay-embed",
    aliases: ["text-embedding-3-small"],
    operation: "embeddings",
    description: "",
    prices: FREE,
    maxCharacters: null,
    maxAudioSeconds: null,
    dimensions: 1_024,
    canShorten: true,
    maxInputTokens: 8_192,
    defaultVoice: null,
    createdAt: 1_700_000_000_000,
    ...fields,
  });
}

export function speechModel(fields: Partial<ModelRecord> = {}): ModelRecord {
  return modelRecord({
    name: "patchbay-speech",
    aliases: ["tts-1"],
    description: "",
    prices: FREE,
    maxCharacters: 32_000,
    maxAudioSeconds: null,
    defaultVoice: "Kore",
    cacheable: false,
    createdAt: 0,
    ...fields,
  });
}

export function auditEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return { at: NOW, actor: "system", action: "key.create", target: unique("key"), detail: {}, ...fields };
}

export function usageRecord(keyId: string, userId: string, fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: unique("use"),
    requestId: unique("req"),
    at: NOW,
    keyId,
    userId,
    model: "patchbay-speech",
    channelId: null,
    operation: "speech",
    attempts: 1,
    inputTokens: 0,
    outputTokens: 0,
    characters: 0,
    audioMs: 0,
    costNano: 0,
    reservedNano: 0,
    status: 200,
    error: null,
    state: "settled",
    cached: false,
    estimated: false,
    overrun: false,
    endUser: null,
    tags: null,
    latencyMs: 12,
    firstByteMs: null,
    ...fields,
  };
}

/** Characters of four bytes each that no compression shortens; the same for the same `seed`. */
export function longName(characters: number, seed = 1): string {
  let state = seed;
  return Array.from({ length: characters }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // CJK Unified Ideographs Extension B.
    return String.fromCodePoint(0x20000 + ((state >>> 16) % 0xa6d0));
  }).join("");
}

/** A user with one key, both stored. */
export async function insertKey(
  store: Store,
  fields: Partial<KeyRecord> = {},
): Promise<{ user: UserRecord; key: KeyRecord }> {
  const user = userRecord();
  await store.users.insert(user);
  const key = keyRecord(user.id, fields);
  await store.keys.insert(key);
  return { user, key };
}
