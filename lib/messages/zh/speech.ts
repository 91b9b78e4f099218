export const speech = { title: "语音试听台" };
