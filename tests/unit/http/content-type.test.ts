import { describe, expect, test } from "vitest";
import { checkContentType, checkRawType } from "../../../lib/http/core/content-type";
import type { Inbound } from "../../../lib/http/core/exchange";
import { costOf } from "../../support/steps";

/** A request that has only headers. */
function withType(type: string | undefined): Inbound {
  const headers = new Map(type === undefined ? [] : [["content-type", type]]);
  // The check reads only the headers.
  return { headers } as unknown as Inbound;
}

describe("the content type of a JSON body", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json ; charset = utf-8 ;",
    "application/json;",
  ])("may be %s", (type) => {
    expect(() => checkContentType(withType(type), true)).not.toThrow();
  });

  test.each([
    "",
    "text/json",
    "application/jsonp",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-8",
    "application/json; boundary=x",
    "application/json charset=utf-8",
    `application/json${" ".repeat(113)}`,
  ])("may not be %j", (type) => {
    const refusal = expect.objectContaining({ code: "unsupported_media_type" });
    expect(() => checkContentType(withType(type), false)).toThrow(refusal);
  });

  test("is checked in less than 5 ms at any length", () => {
    for (const middle of [" ", "; ", ";charset=utf-8", '"', "\t"]) {
      const type = `application/json${middle.repeat(15_000 / middle.length)}x`;
      const cost = costOf(() => expect(() => checkContentType(withType(type), true)).toThrow());
      expect(cost).toBeLessThan(5);
    }
  });
});

test.each([
  ["gzip, chunked", false],
  ["gzip", false],
  ["chunked", true],
  [" Chunked ", true],
])("a body with Transfer-Encoding %j is accepted: %s", (coding, isAccepted) => {
  const headers = new Map([
    ["content-type", "application/json"],
    ["transfer-encoding", coding],
  ]);
  // The check reads only the headers.
  const check = () => checkContentType({ headers } as unknown as Inbound, true);
  const refusal = expect.objectContaining({ code: "unsupported_media_type" });
  if (isAccepted) expect(check).not.toThrow();
  else expect(check).toThrow(refusal);
});

test("compares a raw body's content type without its parameters", () => {
  expect(() => checkRawType(withType("audio/L16; rate=24000"), "audio/l16")).not.toThrow();
  expect(() => checkRawType(withType(undefined), "audio/l16")).toThrow(/Content-Type: audio\/l16/);
});
