/** Descriptions of the built-in models as they are stored, by name; an operator can change them. */
export const BUILT_IN_DESCRIPTIONS = {
  "patchbay-speech": "Speech in many languages, made on this machine by flite and espeak-ng.",
  "patchbay-embed-en":
    "Vectors of meanings, made on this machine by Universal Sentence Encoder Lite: finds texts that say the same in other words. English only; patchbay-embed takes any language.",
  "patchbay-embed":
    "Vectors of words and letter groups, made on this machine, for any language: finds similar words, not similar meanings.",
} as const;
