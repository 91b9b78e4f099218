/** Model IDs: see `MODEL_NAME_RULE`. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/;
/** `MODEL_NAME` in words, for error messages. */
export const MODEL_NAME_RULE = "a letter or digit, then up to 127 letters, digits or ._:@+/-";
