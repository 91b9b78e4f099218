/**
 * The environment variable from which code samples read the API key. In its own file, so that pages show it without
 * loading the code samples.
 */
export const KEY_VARIABLE = "PATCHBAY_API_KEY";
