export const speech = { title: "Speech playground" };
