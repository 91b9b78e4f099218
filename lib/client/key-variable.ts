/** The environment variable from which code samples read the API key. */
export const KEY_VARIABLE = "PATCHBAY_API_KEY";
