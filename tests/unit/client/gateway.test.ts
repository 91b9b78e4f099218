import { expect, test } from "vitest";
import { failureOfError, failureOfResponse } from "@/lib/client/gateway-error";
import { estimateCost, estimateSpeech, readVoices } from "@/lib/client/gateway-models";
import type { ConsoleServices } from "@/lib/console/context";
import { codePoints } from "@/lib/contracts/code-points";
import { requireSetUp } from "@/lib/http/core/is-set-up";

test("reads OpenAI, Gemini and console error bodies", async () => {
  const gemini = { error: { code: 400, message: "No voice 'Korre'.", status: "INVALID_ARGUMENT" } };
  const openai = {
    error: { message: "Spent.", type: "insufficient_quota", param: null, code: "insufficient_quota" },
  };
  const console = { success: false, message: "Gone.", code: "not_found" };
  expect(await failureOfResponse(Response.json(gemini, { status: 400 }))).toMatchObject({
    message: "No voice 'Korre'.",
    code: "INVALID_ARGUMENT",
    advice: "input",
  });
  expect(await failureOfResponse(Response.json(openai, { status: 429 }))).toMatchObject({ advice: "budget" });
  expect(await failureOfResponse(Response.json(console, { status: 404 }))).toMatchObject({
    message: "Gone.",
    code: "not_found",
  });
});

test("uses the HTTP status as the message of a body that is not JSON", async () => {
  const reply = new Response("<html>", { status: 413, statusText: "Content Too Large" });
  expect(await failureOfResponse(reply)).toMatchObject({
    message: "413 Content Too Large",
    status: 413,
    advice: "too-large",
  });
});

test.each([502, 503, 504])(
  "reports a proxy's error page of status %i as an offline server",
  async (status) => {
    for (const body of ["", "<html>"])
      expect(await failureOfResponse(new Response(body, { status }))).toMatchObject({
        message: "",
        status,
        advice: "offline",
      });
  },
);

test("advises `unknown-model` for a 404 about the model, and `input` for any other 404", async () => {
  const adviceOf = async (error: object) =>
    (await failureOfResponse(Response.json({ error }, { status: 404 }))).advice;
  const unknown = "The model 'tts' does not exist. GET /v1/models lists the available models.";
  const ofVoice = "A voice with the ID 'x' was not found.";
  const type = "invalid_request_error";
  expect(await adviceOf({ message: unknown, type, param: "model", code: "model_not_found" })).toBe(
    "unknown-model",
  );
  expect(await adviceOf({ code: 404, message: unknown, status: "NOT_FOUND" })).toBe("unknown-model");
  expect(await adviceOf({ message: ofVoice, type, param: "voice", code: null })).toBe("input");
  expect(await adviceOf({ code: 404, message: ofVoice, status: "NOT_FOUND" })).toBe("input");
});

test.each([
  [404, "The model `m` does not exist."],
  [404, "The model 'voices-1' does not exist."],
  [404, 'model "m" not found, try pulling it first'],
  [404, "Model 'acme/m' is not installed locally. You can download the model."],
  [404, "No endpoints found for acme/m."],
  [404, "litellm.NotFoundError: ElevenlabsException - The voice model m is gone."],
  [400, "Unsupported model 'm'. Use 'n'."],
  [404, "models/m is not found for API version v1beta, or is not supported for embedContent."],
  [404, "tunedModels/m is not found for API version v1beta."],
  [404, "This model models/m is no longer available to new users."],
  [400, "Invalid model: Engine for m not found."],
  [400, "Unsupported model: m"],
  [400, "Model does not exist. Please check it carefully."],
  [400, "Model m is not supported. Supported models are ['n']."],
  [400, "{'error': '/embeddings: Invalid model name passed in model=m. Call `/v1/models`.'}"],
])("advises `unknown-model` for an upstream's %i about the model: %s", async (status, message) => {
  const openai = { message, type: "invalid_request_error", param: null, code: null };
  const gemini = { code: status, message, status: status === 404 ? "NOT_FOUND" : "INVALID_ARGUMENT" };
  for (const error of [openai, gemini])
    expect(await failureOfResponse(Response.json({ error }, { status }))).toMatchObject({
      advice: "unknown-model",
    });
});

test.each([
  [404, "The voice 'x' is not available in the model 'm'."],
  [404, "CachedContent not found (or permission denied)"],
  [400, "dimensions: the model 'm' supports 256 or 512."],
])("advises `input` for an upstream's %i that is not about the model: %s", async (status, message) => {
  const error = { message, type: "invalid_request_error", param: null, code: null };
  expect(await failureOfResponse(Response.json({ error }, { status }))).toMatchObject({ advice: "input" });
});

test("advises for a 503 to add a channel, to wait or to send less text", async () => {
  const adviceOf = async (body: object, headers = {}) =>
    (await failureOfResponse(Response.json(body, { status: 503, headers }))).advice;
  const gemini = (message: string) => ({ error: { code: 503, message, status: "UNAVAILABLE" } });
  const openai = (code: string) => ({ error: { message: "Not now.", type: "api_error", param: null, code } });
  expect(await adviceOf(openai("no_channel_available"))).toBe("no-channel");
  expect(await adviceOf(gemini("No channel can serve the model 'tts' at the moment."))).toBe("no-channel");
  expect(await adviceOf(openai("overloaded"))).toBe("wait");
  expect(await adviceOf(openai("storage_unavailable"))).toBe("wait");
  expect(await adviceOf(gemini("The speech engine's queue is full. Try again in a moment."))).toBe("wait");
  const isFinal = { "x-should-retry": "false" };
  expect(await adviceOf(openai("overloaded"), isFinal)).toBe("too-large");
  expect(await adviceOf(gemini("This machine cannot speak a text of this length in time."), isFinal)).toBe(
    "too-large",
  );
});

test("does not advise less text for an instance that is not set up", async () => {
  // Type assertion: nothing else is read.
  const services = { store: { setup: { isSetUp: async () => false } } } as unknown as ConsoleServices;
  const { message } = await requireSetUp(services).then(
    () => new Error("It is set up."),
    (error: Error) => error,
  );
  const openai = { message, type: "api_error", param: null, code: "not_initialized" };
  const gemini = { code: 503, message, status: "UNAVAILABLE" };
  const init = { status: 503, headers: { "x-should-retry": "false" } };
  for (const error of [openai, gemini])
    expect(await failureOfResponse(Response.json({ error }, init))).toMatchObject({
      message,
      advice: "wait",
    });
});

test.each([429, 502, 503])("advises less text where the message of a %i does", async (status) => {
  const message =
    "This request alone exceeds a limit of the channel's upstream. Send less text in one request.";
  const openai = { message, type: "api_error", param: null, code: "upstream_error" };
  const gemini = { code: status, message, status: "UNAVAILABLE" };
  for (const error of [openai, gemini])
    expect(await failureOfResponse(Response.json({ error }, { status }))).toMatchObject({
      advice: "too-large",
    });
});

test("reports a lost connection but not an aborted request", () => {
  expect(failureOfError(new DOMException("stopped", "AbortError"))).toBeNull();
  expect(failureOfError(new TypeError("Failed to fetch"))).toMatchObject({ advice: "offline", status: 0 });
});

test("reads voices, with defaults for what an entry leaves out", () => {
  const voices = readVoices({
    voices: [
      {
        name: "Kore",
        models: ["a", "b"],
        gender: "female",
        family: "gemini",
        description: "firm",
        languages: [],
      },
      { id: "custom" },
      {},
    ],
  });
  expect(voices.map((voice) => [voice.name, voice.models, voice.gender])).toEqual([
    ["Kore", ["a", "b"], "female"],
    ["custom", [], "neutral"],
  ]);
});

test("adds the costs of all units", () => {
  const prices = { inputTokens: 0.5, inputCharacters: null, outputTokens: 10, outputSeconds: null };
  expect(estimateCost(prices, { inputTokens: 1000, characters: 0, seconds: 4 })).toBeCloseTo(
    0.0005 + 0.001,
    9,
  );
});

test("counts code points, and estimates more time per CJK character and digit than per Latin letter", () => {
  expect(codePoints("a👋🏽")).toBe(3);
  expect(estimateSpeech("x".repeat(30)).seconds).toBe(2);
  for (const [text, seconds] of [
    ["你好世界", 16 / 15],
    ["4829137705", 50 / 15],
    ["안녕", 4 / 15],
    ["こん", 3 / 15],
  ] as const)
    expect(estimateSpeech(text).seconds, text).toBeCloseTo(seconds);
});
