/**
 * `npm run bench [gateway speech voices embeddings …] [-- --row …]`: prints figures, asserts nothing. Needs
 * `npm run build`.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

const { values: settings, positionals: asked } = parseArgs({
  allowPositionals: true,
  // Options of the gateway benchmark; see `benchGateway`.
  options: {
    row: { type: "string" },
    against: { type: "string" },
    "only-node": { type: "boolean" },
    "cpu-prof": { type: "boolean" },
    idle: { type: "boolean" },
    grown: { type: "string" },
    streams: { type: "string" },
    traced: { type: "boolean" },
  },
});

const BENCHES = {
  gateway: async () => (await import("./gateway.mjs")).benchGateway(settings),
  "sign-in": async () => (await import("./sign-in.mjs")).benchSignIn(),
  embeddings: async () => (await import("./embeddings.mjs")).benchEmbeddings(),
  speech: async () => (await import("./speech.mjs")).benchSpeech(),
  voices: async () => (await import("./speech.mjs")).benchVoices(),
  batching: async () => (await import("./batching.mjs")).benchBatching(),
  interaction: async () => (await import("./interaction.mjs")).benchInteraction(),
  usage: async () => (await import("./usage.mjs")).benchUsage(),
  limiter: async () => (await import("./limiter.mjs")).benchLimiter(),
  stores: async () => (await import("./stores.mjs")).benchStores(),
  ledger: async () => (await import("./ledger.mjs")).benchLedger(),
};

if (!existsSync(".next/patchbay/main.mjs")) {
  console.error("Nothing is built yet: run `npm run build` first.");
  process.exit(1);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (asked.length === 0 || asked.includes(name)) await bench();
}
