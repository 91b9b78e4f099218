import { expect, test } from "vitest";
import { isBareOpenAiPath } from "../../../lib/http/core/normalize-path";

const NO_KEY = new Map<string, string>();
const KEY = new Map([["authorization", "Bearer sk-pb-x"]]);

test.each(["/embeddings", "/audio/speech", "/chat/completions", "/engines/x/embeddings", "/responses"])(
  "recognizes %s as an OpenAI path with and without a key",
  (path) => {
    expect(isBareOpenAiPath(path, NO_KEY)).toBe(true);
    expect(isBareOpenAiPath(path, KEY)).toBe(true);
  },
);

test("treats /models as a page without a key and as OpenAI's list with one", () => {
  // What a browser sends to a proxy in front.
  expect(isBareOpenAiPath("/models", new Map([["authorization", "Basic b3duZXI6cHc="]]))).toBe(false);
  expect(isBareOpenAiPath("/models", NO_KEY)).toBe(false);
  expect(isBareOpenAiPath("/models", KEY)).toBe(true);
});

test.each(["/", "/keys", "/playground/embeddings", "/audiobook", "/v1/embeddings"])(
  "does not recognize %s as an OpenAI path",
  (path) => {
    expect(isBareOpenAiPath(path, KEY)).toBe(false);
  },
);
