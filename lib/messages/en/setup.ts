export const setup = { title: "" };
