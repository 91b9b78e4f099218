/**
 * Sentences by which the playgrounds recognise error messages and choose their advice: Gemini's error body has no field
 * for a code of our own.
 */

/** Ends the message about a request that alone exceeds a limit, so that waiting does not help. */
export const SEND_LESS = "Send less text in one request.";

/**
 * Ends the message about a limit of which the answering process has no share, since it is below the number of
 * processes.
 */
export const EMPTY_SHARE =
  "The server divides the limit among its processes, and the share of the one that answered is below 1. The limit must be at least the number of processes.";

/** Begins the message of `no_channel_available` with a model. */
export const NO_CHANNEL_FOR = "No channel can serve the model ";

/** Begins the message of `not_initialized`. */
export const NOT_SET_UP = "This instance is not set up yet";

/** Matches the limit in a `rate_limited` message: its number, its unit and, for tokens, how many the request needs. */
export const MINUTE_LIMIT = / limited to (\d+) (request|token)s? per minute(?:; this request needs (\d+))?/;
