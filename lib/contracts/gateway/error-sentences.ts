/**
 * Sentences of error messages from which the playgrounds choose their advice: Gemini's error body has no field for a code
 * of our own.
 */

/** Ends the message about a request that exceeds a limit as a whole: no wait helps. */
export const SEND_LESS = "Send less text in one request.";

/** Ends the message about a limit of which the process that answered has no share. */
export const EMPTY_SHARE =
  "The server divides the limit among its processes, and the share of the one that answered is below 1. The limit must be at least the number of processes.";

/** Begins the message of `no_channel_available` with a model. */
export const NO_CHANNEL_FOR = "No channel can serve the model ";

/** Begins the message of `not_initialized`. */
export const NOT_SET_UP = "This instance is not set up yet";

/** The limit of a `rate_limited` message, with the rest of it for tokens. */
export const MINUTE_LIMIT = / limited to (\d+) (request|token)s? per minute(?:; this request needs (\d+))?/;
