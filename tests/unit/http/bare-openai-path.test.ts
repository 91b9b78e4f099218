import { expect, test } from "vitest";
import { isBareOpenAiPath } from "../../../lib/http/core/bare-openai-path";

const NOBODY = new Map<string, string>();
const KEY = new Map([["authorization", "Bearer sk-pb-x"]]);

test.each(["/embeddings", "/audio/speech", "/chat/completions", "/engines/x/embeddings", "/responses"])(
  "%s is OpenAI's, with a key or without",
  (path) => {
    expect(isBareOpenAiPath(path, NOBODY)).toBe(true);
    expect(isBareOpenAiPath(path, KEY)).toBe(true);
  },
);

test("the models are a page to a browser, OpenAI's list to a program with a key", () => {
  expect(isBareOpenAiPath("/models", NOBODY)).toBe(false);
  expect(isBareOpenAiPath("/models", KEY)).toBe(true);
});

test.each(["/", "/keys", "/playground/embeddings", "/audiobook", "/v1/embeddings"])("%s is not", (path) => {
  expect(isBareOpenAiPath(path, KEY)).toBe(false);
});
