import { expect, test } from "vitest";
import { BodyChunks } from "../../../lib/http/core/request-body";

test("holds 65,536 one-byte chunks in four buffers and returns them in order", () => {
  const chunks = new BodyChunks();
  for (let at = 0; at < 65_536; at++) chunks.push(Uint8Array.of(at % 251));
  expect([chunks.length, chunks.buffers]).toEqual([65_536, 4]);
  expect(chunks.concat().every((byte, at) => byte === at % 251)).toBe(true);
});

test("returns chunks of mixed sizes in order and does not copy a single large one", () => {
  const sizes = [1, 5_000, 3, 4_095, 4_096, 16_383, 2, 70_000, 0, 1];
  const chunks = new BodyChunks();
  const sent: Uint8Array[] = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
  for (const chunk of sent) chunks.push(chunk);
  expect(Buffer.compare(chunks.concat(), Buffer.concat(sent))).toBe(0);
  const one = new BodyChunks();
  const large = new Uint8Array(5_000);
  one.push(large);
  expect(one.concat()).toBe(large);
  expect(new BodyChunks().concat()).toHaveLength(0);
});
