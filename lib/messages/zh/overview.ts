export const overview = { title: "" };
