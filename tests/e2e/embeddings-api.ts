import { expect } from "./fixtures";

/** The vectors that the API returns for texts. */
export async function embed(
  url: string,
  key: string,
  body: { model: string; input: readonly string[] },
): Promise<number[][]> {
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  // The OpenAI shape of embeddings.
  const { data } = (await reply.json()) as { data: { embedding: number[] }[] };
  return data.map((one) => one.embedding);
}

export function cosine(one: readonly number[] = [], other: readonly number[] = []): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
