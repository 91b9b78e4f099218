import { expect } from "vitest";
import type { RawReply, WireReply } from "./raw-request";

/** The three dialects of errors. */
export type Surface = "gemini" | "openai" | "console";
const ERRORS = {
  gemini: (status: number) => ({
    error: { code: status, message: expect.any(String), status: expect.stringMatching(/^[A-Z_]+$/) },
  }),
  openai: () => ({
    error: {
      message: expect.any(String),
      type: expect.stringMatching(/_error$/),
      param: null,
      code: expect.toSatisfy((code: unknown) => code === null || typeof code === "string"),
    },
  }),
  console: () => ({ success: false, message: expect.any(String), code: expect.any(String) }),
} as const;

/** Expects an error in the surface's JSON dialect, with a request ID and without an error page of Next or Node. */
export function expectError(reply: RawReply | WireReply, surface: Surface, status: number): void {
  const text = "text" in reply ? reply.text : reply.body;
  expect(reply.status, text.slice(0, 200)).toBe(status);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(reply.headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  expect(reply.headers["x-powered-by"]).toBeUndefined();
  expect(reply.json, text.slice(0, 200)).toMatchObject(ERRORS[surface](status));
}
