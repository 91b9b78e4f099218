/**
 * Whether a key belongs to the composition of an input method. Safari ends the composition before the key that confirms
 * it, which only its code tells (WebKit bug 165004).
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
