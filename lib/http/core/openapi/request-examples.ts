/** Example request bodies by method and path. Each matches its schema (tests/routes/openapi.test.ts). */

const PASSWORD = "four quiet lanterns drift";
const TOKEN = "kT3vQ9mXc7LpR8sWd1ZyB4nJ6hF2gA5eU0iO-_xVbNm";
const SENTENCE = "The kettle is on.";
const CONTENTS = [{ parts: [{ text: SENTENCE }] }];
const CHANNEL = {
  provider: "openai",
  base_url: "https://api.openai.com/v1",
  keys: ["sk-upstream-0123456789abcdef"],
};
const MODEL = { name: "house-voice", operation: "speech" };

const SPEAK = {
  contents: CONTENTS,
  generationConfig: {
    responseModalities: ["AUDIO"],
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
  },
};

const GEMINI: Readonly<Record<string, unknown>> = {
  generateContent: SPEAK,
  streamGenerateContent: SPEAK,
  embedContent: { content: CONTENTS[0] },
  batchEmbedContents: { requests: [{ model: "models/patchbay-embed-en", content: CONTENTS[0] }] },
  countTokens: { contents: CONTENTS },
};

const BODIES: Readonly<Record<string, unknown>> = {
  "POST /v1/audio/speech": {
    model: "patchbay-speech",
    voice: "alloy",
    input: SENTENCE,
    response_format: "mp3",
  },
  "POST /v1/embeddings": { model: "patchbay-embed-en", input: SENTENCE },
  "POST /v1/engines/{model}/embeddings": { model: "patchbay-embed-en", input: SENTENCE },

  "POST /api/setup": { username: "olivia", password: PASSWORD, confirmPassword: PASSWORD },
  "PATCH /api/setup/progress": { step: "key" },
  "POST /api/user/login": { username: "olivia", password: PASSWORD },
  "POST /api/user/login/2fa": { code: "123456", flow_token: TOKEN },
  "POST /api/user/register": { username: "mia", password: PASSWORD, confirmPassword: PASSWORD },
  "POST /api/user/2fa/setup": { password: PASSWORD },
  "POST /api/user/2fa/enable": { code: "123456" },
  "POST /api/user/2fa/disable": { password: PASSWORD, code: "123456" },
  "POST /api/user/2fa/backup_codes": { password: PASSWORD, code: "123456" },
  "PATCH /api/user/self": { display_name: "Olivia", locale: "en" },
  "POST /api/user/password": { current_password: PASSWORD, new_password: "eight blue kettles sing" },

  "POST /api/keys": {
    name: "Website",
    operations: ["speech"],
    rpm: 60,
    budget: { monthly_usd: "12.50" },
  },
  "PATCH /api/keys/{id}": { version: 1, enabled: false },
  "POST /api/keys/{id}/rotate": { grace_hours: 1 },

  "POST /api/users": { username: "noah", password: PASSWORD, role: "member" },
  "PATCH /api/users/{id}": { version: 1, role: "admin" },
  "POST /api/invites": { role: "member", email: "mia@example.com", expires_hours: 72 },
  "POST /api/invites/inspect": { token: TOKEN },
  "POST /api/invites/accept": {
    token: TOKEN,
    username: "mia",
    password: PASSWORD,
    confirmPassword: PASSWORD,
  },
  "POST /api/password-resets/accept": { token: TOKEN, password: PASSWORD, confirmPassword: PASSWORD },

  "PATCH /api/settings": { version: 3, keep_prompts: true, retention_days: { usage: 365, prompts: 7 } },
  "POST /api/settings/metrics-token": { password: PASSWORD },
  "POST /api/settings/backup": { password: PASSWORD },
  "POST /api/settings/import": {
    dry_run: true,
    file: {
      format: "patchbay-settings",
      version: 1,
      exported_at: "2026-11-22T09:30:00.000Z",
      patchbay: "1.4.0",
      settings: { keep_prompts: true },
      models: [MODEL],
      channels: [],
    },
  },

  "POST /api/channels": {
    name: "OpenAI",
    ...CHANNEL,
    models: [{ name: "tts-1-upstream", upstream_name: "tts-1", operation: "speech" }],
  },
  "PATCH /api/channels/{id}": { version: 1, weight: 2 },
  "POST /api/alerts/{id}/snooze": { for: "8h" },
  "POST /api/alerts/webhook/test": { kind: "slack" },
  "POST /api/channels/{id}/test": { model: "patchbay-speech" },
  "POST /api/channels/{id}/close": { key_id: "chk_5eU0iOx9VbNm4kQvT72fA6" },
  "POST /api/channels/order": { tiers: [[{ id: "chn_8mN3bV5xKq2TfY7rGh4JwC", version: 1 }]] },
  "POST /api/channels/draft/models": CHANNEL,
  "POST /api/channels/draft/test": { ...CHANNEL, model: { upstream_name: "tts-1", operation: "speech" } },
  "POST /api/upstreams/allowed": { base_url: "http://192.168.1.9:8000/v1", password: PASSWORD },
  "POST /api/voices": { name: "kitten-nano-en-v0_1-fp16" },
  "POST /api/models": { ...MODEL, aliases: ["our-voice"], default_voice: "Kore" },
  "PATCH /api/models/{model}": { version: 1, prices: { output_per_million_seconds: "15" } },
};

/** Example query parameters. Not `cursor`: only a previous page's reply has a valid one. */
const PARAMETERS: Readonly<Record<string, unknown>> = {
  action: "key.create",
  actor: "usr_4kQ9vT2mXc7LpR8sWd1ZyB",
  alt: "sse",
  by: "model",
  channel_id: "chn_8mN3bV5xKq2TfY7rGh4JwC",
  end_user: "customer-42",
  file: "kitten-nano-en-v0_1-fp16.tar.bz2",
  format: "mp3",
  from: "2026-11-21T00:00:00.000Z",
  interval: "hour",
  key_id: "key_2fA6eU0iOx9VbNm4kQvT7c",
  key_ids: "key_2fA6eU0iOx9VbNm4kQvT7c",
  limit: 50,
  model: "patchbay-speech",
  offset: 0,
  operation: "speech",
  owner_id: "me",
  pageSize: 50,
  q: "website",
  request_id: "req-7f3a",
  state: "opened",
  status: "ok",
  tag: "newsletter",
  target: "key_2fA6eU0iOx9VbNm4kQvT7c",
  to: "2026-11-22T00:00:00.000Z",
  total: 27_000_000,
};

/** The example of a query parameter, if there is one. */
export function parameterExample(name: string): unknown {
  return PARAMETERS[name];
}

/** The example of an operation's body, if there is one. */
export function requestExample(method: string, path: string): unknown {
  const verb = /:(\w+)$/.exec(path)?.[1];
  return verb === undefined ? BODIES[`${method} ${path}`] : GEMINI[verb];
}
