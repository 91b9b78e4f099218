import { expect, test } from "vitest";
import { consoleUrl } from "../../../lib/server/process/console-url";

const PLAIN = { baseUrl: null, tls: null };

test.each([
  ["0.0.0.0", "http://localhost:3000"],
  ["::", "http://localhost:3000"],
  ["0:0:0:0:0:0:0:0", "http://localhost:3000"],
  ["127.0.0.1", "http://localhost:3000"],
  ["::1", "http://localhost:3000"],
  ["localhost", "http://localhost:3000"],
  ["127.0.0.2", "http://127.0.0.2:3000"],
  ["192.0.2.7", "http://192.0.2.7:3000"],
  ["2001:db8::7", "http://[2001:db8::7]:3000"],
  ["patchbay.lan", "http://patchbay.lan:3000"],
])("the console of a server that listens on %s is at %s", (host, expected) => {
  expect(consoleUrl({ ...PLAIN, host }, 3000)).toBe(expected);
});

test("the console has the scheme of the server and the configured base URL", () => {
  const tls = { certificate: "cert.pem", key: "key.pem" };
  expect(consoleUrl({ ...PLAIN, tls, host: "192.0.2.7" }, 3443)).toBe("https://192.0.2.7:3443");
  const baseUrl = "https://patchbay.example";
  expect(consoleUrl({ ...PLAIN, baseUrl, host: "192.0.2.7" }, 3000)).toBe(baseUrl);
});

test.each([":", "1.2.3.4.5"])("a host that no URL can have (%s) does not throw", (host) => {
  expect(consoleUrl({ ...PLAIN, host }, 3000)).toBe("http://localhost:3000");
});
