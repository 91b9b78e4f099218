export const login = { title: "" };
