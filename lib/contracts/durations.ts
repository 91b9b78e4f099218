export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** How long a sign-in waits for its 2FA code. */
export const SIGN_IN_FLOW_MS = 5 * MINUTE_MS;
