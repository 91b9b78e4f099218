import { expect, test } from "vitest";
import { createPeerReader } from "../../../lib/http/node/peer";

const isLocal = (name: string) =>
  createPeerReader([], null).read(
    "127.0.0.1",
    "1.1",
    new Map([
      ["host", "localhost:3000"],
      [name, "x"],
    ]),
  ).isLocal;

test.each(["user-agent", "accept", "authorization", "content-type", "x-request-id", "sec-fetch-site"])(
  "treats a loopback request with the header %s as local",
  (name) => expect(isLocal(name)).toBe(true),
);

test.each([
  "forwarded",
  "via",
  "x-forwarded",
  "x-forwarded-for",
  "x-forwarded-anything",
  "x-original-forwarded-for",
  "forwarded-for",
  "x_forwarded_for",
  "x-envoy-external-address",
  "x-client-ip",
  "x-clientip",
  "client-ip",
  "true-client-ip",
  "fastly-client-ip",
  "x-real-ip",
  "cf-connecting-ip",
  "x-original-url",
  "any_header",
])("does not treat a loopback request with the header %s as local", (name) =>
  expect(isLocal(name)).toBe(false),
);
