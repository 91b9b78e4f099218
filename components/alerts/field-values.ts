/** Values of the rules' fields: an empty field is null, for which the rule is off. */

export const textOrNull = (text: unknown) => (text === "" ? null : text);
export const numberOrNull = (text: unknown) => (text === "" || text === null ? null : Number(text));
