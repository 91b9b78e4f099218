/**
 * The guides, in a small part of Markdown (components/api-docs/markdown.tsx). `{{origin}}` is this server's address,
 * `{{sample:…}}` a call as code (components/api-docs/guide-samples.ts).
 */
export const guides = {
  sdks: {
    title: "Point an SDK here",
    lead: "The official SDKs of OpenAI, Google and Vercel work unchanged: only the address and the key differ.",
    text: `Make a key under [Keys](/keys) and put it where your program reads it:

~~~bash
export PATCHBAY_API_KEY=sk-pb-…
~~~

## OpenAI

The base URL ends in \`/v1\`. Without it every call is a 404 that says so.

{{sample:openai-embeddings}}

{{sample:openai-speech}}

In Python:

{{sample:openai-python}}

## Google GenAI

The base URL is this server's address, without a version.

{{sample:genai-speech}}

In Python:

{{sample:genai-python}}

## Vercel AI SDK

Its OpenAI provider takes the address with \`/v1\`, its Google provider the one with \`/v1beta\`.

{{sample:vercel}}

## curl

{{sample:curl-speech}}

{{sample:curl-embeddings}}

Models and voices that your key may use: \`GET /v1/models\` and \`GET /v1/audio/voices\`.`,
  },
  upstreams: {
    title: "Add an upstream",
    lead: "A channel leads to a provider or to a server of your own. Callers keep their own dialect.",
    text: `1. Open [Channels](/channels) and choose **Add channel**.
2. Pick what it is. **OpenAI** is api.openai.com itself; for a resource in Azure pick **Azure OpenAI**; for anything else that speaks OpenAI's form (Kokoro-FastAPI, LocalAI, vLLM, Ollama, OpenRouter, …) pick **OpenAI-compatible** and write its base URL.
3. Paste its key and choose **Connect**: its models are listed. The key is stored encrypted and never shown again.
4. Tick the models to serve. **Name there** is the upstream's own name; **Public name** beside it is the one your callers use.
5. Test it: one short, real call, and what came of it.

## Several channels for one model

Channels that offer the same public name share its calls. A lower priority is tried first; within one priority, weight decides. When one fails, the next answers in the same call.

## A server in your own network

Plain http and private addresses are refused unless they are allowed, so that nobody can make Patchbay call what stands behind your firewall. The owner allows one host and port in [Settings](/settings), or at the start:

~~~bash
PATCHBAY_UPSTREAM_ALLOW=127.0.0.1:11434 npm start
~~~

## By program

A key that may manage does the same. On the server:

~~~bash
export ADMIN=$(npm run --silent admin -- create-key --user <you> --name channels --operations manage)
curl {{origin}}/api/channels \\
  -H "Authorization: Bearer $ADMIN" -H "Content-Type: application/json" \\
  -d '{"name":"OpenAI","provider":"openai","keys":["sk-…"],
       "models":[{"name":"text-embedding-3-small","upstream_name":"text-embedding-3-small"}]}'
~~~`,
  },
  speakers: {
    title: "Several speakers",
    lead: "A script of `Name: …` lines, each name with a voice of its own, spoken in one call.",
    text: `Gemini's form carries scripts. Give each speaker a voice; lines that begin with the name and a colon are spoken by it.

{{sample:script-curl}}

With the Google SDK:

{{sample:script-genai}}

## What counts

- The engines built in take one to eight speakers, Gemini's models exactly two.
- A line without a known name goes on in the last speaker's voice.
- An opening line that ends in a colon and names nobody ("TTS the following conversation:") is an instruction and not spoken.
- \`multiSpeakerVoiceConfig\` and \`voiceConfig\` exclude each other.
- The answer holds 24 kHz mono samples of 16 bits as base64.

The [speech playground](/playground/speech) writes such calls for you: its code panel shows the one you hear.`,
  },
  budgets: {
    title: "Budgets",
    lead: "What a key or a user may spend, in all, a day and a month. No call takes a balance below zero.",
    text: `Prices stand with each [model](/models); without one its calls are free. Budgets stand with [keys](/keys) and [users](/users). A call must fit into the key's and into its owner's.

## How a call is booked

1. Before it begins, its worst case is held: for speech the longest reply that the text can make, for embeddings the counted tokens and a tenth more.
2. When it has ended, what it really cost is booked and the rest is free again.
3. A call that does not fit is refused with 429 and \`insufficient_quota\`. So a budget may end a little above nothing: what is left is too little for the next call.

Days and months are those of the server's time zone. A cached answer costs nothing.

## By program

~~~bash
curl {{origin}}/api/keys \\
  -H "Authorization: Bearer $ADMIN" -H "Content-Type: application/json" \\
  -d '{"name":"newsletter","operations":["speech"],"budget":{"daily_usd":"1.50","monthly_usd":"20"}}'
~~~

At 80% and when a call is refused an [alert](/alerts) opens.`,
  },
  "second-factor": {
    title: "Recover a lost second factor",
    lead: "The app is gone, or the phone. These are the ways back in, the easiest first.",
    text: `## With a backup code

Ten were shown when the second factor was turned on. Write one where the sign-in asks for six digits; capitals, dashes and spaces do not matter. Each works once. Then turn the factor off and on again under [Account](/account), or make new codes there.

## Through an administrator

An owner or administrator opens [Users](/users) and resets the second factor of somebody below their own role. All sessions of that person end.

## On the server itself

For the owner, or when nobody can sign in:

~~~bash
npm run admin -- reset-2fa <username>
npm run admin -- reset-password <username>
~~~

Both end the user's sessions and leave a row in the [audit log](/audit).

## Too many wrong codes

Ten in a row lock the second step for 15 minutes, each time for twice as long, a day at most. It passes by itself; an administrator lifts it under [Users](/users), and on the server:

~~~bash
npm run admin -- unlock <username>
~~~`,
  },
  backup: {
    title: "Back up and restore",
    lead: "Everything stands in one database and one secret. Both are needed to come back.",
    text: `## SQLite

A copy while the server runs, to a file that does not exist yet:

~~~bash
npm run admin -- backup /backups/patchbay-$(date +%F).db
~~~

The owner also downloads one in [Settings](/settings).

**Keep the secret too:** the file \`secret\` in the data directory, or what \`PATCHBAY_SECRET\` holds. Without it the upstream keys and second factors in the backup do not open. Keep it elsewhere than the backup.

To restore, stop the server and put the backup in the store's place. What stood there before is kept beside it, and everybody signs in anew:

~~~bash
npm run admin -- restore /backups/patchbay-2026-11-21.db
npm start
~~~

## PostgreSQL

Its own tools do it:

~~~bash
pg_dump --format=custom --file=patchbay.dump "$DATABASE_URL"
pg_restore --clean --dbname="$DATABASE_URL" patchbay.dump
~~~

## Did it come back whole?

[Audit](/audit) verifies its rows and shows the newest hash. \`npm run admin -- verify-audit --expect <hash>\` tells whether a hash that you noted earlier is still among them.`,
  },
  proxy: {
    title: "Run behind a proxy",
    lead: "TLS ends at the proxy; Patchbay learns from it who calls, and streams through it.",
    text: `~~~bash
PATCHBAY_BASE_URL=https://patchbay.example.com \\
PATCHBAY_TRUSTED_PROXIES=127.0.0.1/32 \\
HOST=127.0.0.1 npm start
~~~

- \`PATCHBAY_BASE_URL\` is the address that people use. With https, cookies are for https alone.
- \`PATCHBAY_TRUSTED_PROXIES\` lists the proxies, as CIDRs, whose \`X-Forwarded-For\` is believed. From anybody else such headers are thrown away, so limits by address cannot be slipped.
- \`HOST=127.0.0.1\` keeps everybody else from going past the proxy.

## nginx

~~~nginx
server {
  listen 443 ssl;
  server_name patchbay.example.com;
  client_max_body_size 16m;        # embeddings take up to 16 MiB

  location / {
    proxy_pass http://127.0.0.1:3000;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_buffering off;           # speech is heard while it is made
    proxy_read_timeout 600s;       # as long as the longest call
  }
}
~~~

## Caddy

~~~text
patchbay.example.com {
  reverse_proxy 127.0.0.1:3000 {
    flush_interval -1
  }
}
~~~

## Look

\`/api/health/ready\` answers 200 when the server takes calls and 503 while it starts or stops. \`/metrics\` is for this machine alone until a token is set.`,
  },
  alerts: {
    title: "Alerts by webhook",
    lead: "Each alert is posted to your server when it opens and when it is over, signed.",
    text: `Write the address under [Alerts](/alerts), make a signing secret there, and send a test. Patchbay stores the address encrypted and shows only its host and last characters. Plain http and private addresses must be listed in \`PATCHBAY_WEBHOOK_ALLOW\`; what channels may reach does not count for the webhook.

## A message

~~~json
{
  "id": "alt_4kQ…",
  "kind": "channel_open",
  "subject": "chn_9Xa…",
  "subject_name": "Gemini",
  "state": "opened",
  "at": "2026-11-21T12:00:00.000Z",
  "message": "The channel 'Gemini' takes no calls since 2026-11-21T11:57:30.000Z: the upstream refuses its key.",
  "detail": { "name": "Gemini", "reason": "credentials", "since": "2026-11-21T11:57:30.000Z" },
  "opened_at": "2026-11-21T12:00:00.000Z",
  "resolved_at": null
}
~~~

\`kind\` is \`channel_open\`, \`error_rate\`, \`budget_nearly_spent\`, \`budget_spent\`, \`disk\`, \`second_server\` or \`test\`; \`state\` is \`opened\` or \`resolved\`. A message may come twice: \`id\` and \`state\` together name it.

## Check the signature

The header \`x-patchbay-signature\` is \`t=<unix seconds>,v1=<hex>\`: the HMAC-SHA256, under your secret, of \`t\`, a full stop and the body as it came. Compare in constant time, and refuse what is older than five minutes.

~~~javascript
import { createHmac, timingSafeEqual } from "node:crypto";

export function isFromPatchbay(header, body, secret) {
  const { t, v1 } = Object.fromEntries(header.split(",").map((part) => part.split("=")));
  const expected = createHmac("sha256", secret).update(\`\${t}.\${body}\`).digest();
  const given = Buffer.from(v1, "hex");
  const isFresh = Math.abs(Date.now() / 1000 - Number(t)) < 300;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}
~~~

~~~python
import hashlib, hmac, time

def is_from_patchbay(header: str, body: bytes, secret: str) -> bool:
    parts = dict(part.split("=", 1) for part in header.split(","))
    expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    return abs(time.time() - int(parts["t"])) < 300 and hmac.compare_digest(expected, parts["v1"])
~~~

## Delivery

Answer with any 2xx within 10 seconds. Anything else is tried again after 15 seconds, then 1, 5, 15 and 60 minutes, 3 and 6 hours, also across restarts. Redirects are not followed.`,
  },
};
