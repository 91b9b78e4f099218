export const embeddings = { title: "向量实验台" };
