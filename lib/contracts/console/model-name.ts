/** Model IDs: up to 128 letters, digits and `._:@+/-`, beginning with a letter or digit. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/;
