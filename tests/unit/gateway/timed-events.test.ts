import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "@/lib/contracts/limits";
import { AppError, type ErrorCode } from "@/lib/errors";
import type { GatewayContext } from "@/lib/gateway/context";
import { TimedEvents } from "@/lib/gateway/speech/speech-stream";
import type { SpeechEvent } from "@/lib/ports/speech-model";
import { FakeClock } from "../../support/factories";

const PIECE: SpeechEvent = { type: "audio", pcm: new Uint8Array(2) };

/** The error of an upstream that fails at the third piece, whose caller took `readingMs` for each piece before. */
async function failureAfter(readingMs: number, code: ErrorCode): Promise<AppError> {
  const clock = new FakeClock();
  // TimedEvents reads only these fields.
  const ctx = {
    services: { instance: { limits: DEFAULT_LIMITS }, clock },
    receivedAt: clock.monotonic(),
  } as unknown as GatewayContext;
  async function* pieces() {
    yield PIECE;
    yield PIECE;
    // Time that the upstream takes, which does not count as the caller's.
    clock.advance(20_000);
    throw new AppError(code, "The connection broke.", { upstreamStatus: 200 });
  }
  const events = new TimedEvents(ctx, { source: pieces() });
  try {
    for (let n = 0; n < 3; n += 1) {
      clock.advance(readingMs);
      await events.next();
    }
  } catch (error) {
    return error as AppError;
  } finally {
    events.end();
  }
  throw new Error("no failure");
}

test.each(["upstream_truncated", "upstream_error"] as const)(
  "attributes %s to the request if the caller took more than 5 s to read",
  async (code) => {
    const details = { upstreamStatus: 200, isCausedByRequest: true };
    expect(await failureAfter(1_700, code)).toMatchObject({
      code,
      message: "The connection broke.",
      details,
    });
    expect((await failureAfter(1_600, code)).details).toEqual({ upstreamStatus: 200 });
  },
);

test("attributes an invalid reply to the channel, however slowly the caller reads", async () => {
  expect((await failureAfter(60_000, "upstream_invalid")).details).toEqual({ upstreamStatus: 200 });
});
