/** Model ids of CONTRACT §2. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}$/;
