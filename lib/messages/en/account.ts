export const account = { title: "" };
