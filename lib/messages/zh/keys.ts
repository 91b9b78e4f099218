export const keys = { title: "" };
