/**
 * Whether a key belongs to the composition of an input method. Safari ends the composition before the event of the key
 * that confirms it; only that event's key code, 229, shows that it belongs to the composition (WebKit bug 165004).
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
