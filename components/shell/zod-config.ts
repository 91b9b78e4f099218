import type { $ZodConfig } from "zod/v4/core";

// Schemas read this when they are created: the checks that zod compiles with `eval` are forbidden by the
// Content-Security-Policy, which browsers report even though zod catches the error. zod's `config()` writes to the same
// object, but would load zod with every page.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } satisfies $ZodConfig });
