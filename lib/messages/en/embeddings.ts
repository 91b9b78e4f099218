export const embeddings = { title: "Embeddings playground" };
