import type { LIMIT_RULES } from "../../lib/contracts/limits";

export type LimitName = keyof typeof LIMIT_RULES;
type Units = { readonly [Name in LimitName]: (typeof LIMIT_RULES)[Name]["unit"] };

/** The unit of each limit, repeated from the contract to keep its zod schemas out of the browser bundle. */
export const LIMIT_UNITS: Units = {
  jsonBodyBytes: "bytes",
  embeddingsBodyBytes: "bytes",
  consoleBodyBytes: "bytes",
  keyBodiesBytes: "bytes",
  allBodiesBytes: "bytes",
  headersTimeoutMs: "milliseconds",
  consoleUploadMs: "milliseconds",
  gatewayUploadMs: "milliseconds",
  connectionsPerAddress: "count",
  wrongKeysPerMinute: "count",
  loginAttemptsPerMinute: "count",
  attemptsPerCall: "count",
  upstreamConnectMs: "milliseconds",
  upstreamTlsMs: "milliseconds",
  speechFirstByteMs: "milliseconds",
  embeddingsFirstByteMs: "milliseconds",
  idleMs: "milliseconds",
  callMs: "milliseconds",
  readerIdleMs: "milliseconds",
};

// Type assertion: `Object.keys` returns string[].
export const LIMIT_NAMES = Object.keys(LIMIT_UNITS) as LimitName[];
