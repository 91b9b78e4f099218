import { expect, test } from "vitest";
import { hasCode } from "@/lib/errors";
import { isMetadata, isPrivate, parseAddress } from "@/lib/providers/outbound/address";
import { isAllowEntry, mayConnect, parseAllowList } from "@/lib/providers/outbound/allow-list";
import { readUpstreamUrl } from "@/lib/providers/outbound/upstream-url";

const NO_ENTRIES = parseAllowList([]);

/** The code of the error (`null`: accepted). */
function refusal(url: string, allow = NO_ENTRIES): string | null {
  try {
    readUpstreamUrl(url, allow);
    return null;
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    return error.details.apiCode ?? "invalid";
  }
}

const LOOPBACKS = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "①②⑦.⓪.⓪.①"];
const UNSPECIFIED = ["0", "0.0.0.0", "[::]"];
const TUNNELS = ["[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"];
const PRIVATES = [
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "[fd00::1]",
  "198.18.0.1",
  "224.0.0.1",
];

test.each([...LOOPBACKS, ...UNSPECIFIED, ...TUNNELS, ...PRIVATES])(
  "refuses the private address %s, by http and https",
  (host) => {
    expect(refusal(`http://${host}`)).toBe("upstream_not_allowed");
    expect(refusal(`https://${host}/v1`)).toBe("upstream_not_allowed");
  },
);

test.each([
  "169.254.169.254",
  "2852039166",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[fd00:ec2::254]",
  "metadata.google.internal",
  "100.100.100.200",
])("refuses the metadata address %s even where it is listed", (host) => {
  const everything = parseAllowList([
    "0.0.0.0/0",
    "::/0",
    host.replace(/^(?=\[)/, ""),
    "metadata.google.internal",
  ]);
  expect(refusal(`https://${host}`, everything)).toBe("invalid");
});

test.each([
  "http://u:p@h.example",
  "https://u@h.example",
  "https://@h.example",
  "http://h.example#@127.0.0.1",
  "http://h.example\\@127.0.0.1",
  "https://h.example/v1?x=1",
  "https://h.example/v1#x",
  "https://h.example/v1/../admin",
  "https://h.example/v1/%2e%2e/admin",
  "https://h.example/v1%2f..%2fadmin",
  "https://h.example/..",
  "https://h.example:22",
  "https://h.example:25",
  "https://h.example:6379",
  "https://h.example:99999",
  "https:h.example",
  "https:///h.example",
  "ftp://h.example",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "h.example/v1",
  "https://h.exa\tmple",
  "https://h.example/ v1",
  "https://",
  "",
  `https://h.example/${"a".repeat(10_240)}`,
])("refuses the base URL %s", (url) => {
  expect(refusal(url)).toBe("invalid");
});

test.each([
  ["https://API.Example.com/v1/", "https://api.example.com/v1"],
  ["https://api.example.com.", "https://api.example.com/"],
  ["https://api.example.com:443/v1", "https://api.example.com/v1"],
  ["https://api.example.com:8443", "https://api.example.com:8443/"],
  ["https://93.184.216.34", "https://93.184.216.34/"],
])("normalises %s to %s", (url, canonical) => {
  expect(readUpstreamUrl(url, NO_ENTRIES).href).toBe(canonical);
});

test("allows plain http only to a listed host and port", () => {
  const allow = parseAllowList(["localhost:11434", "10.1.0.0/16", "tts.lan"]);
  expect(refusal("http://localhost:11434/v1", allow)).toBeNull();
  expect(refusal("http://localhost:11435/v1", allow)).toBe("upstream_not_allowed");
  expect(refusal("http://10.1.2.3:8880", allow)).toBeNull();
  expect(refusal("http://10.2.2.3:8880", allow)).toBe("upstream_not_allowed");
  expect(refusal("http://tts.lan:8880", allow)).toBeNull();
  expect(refusal("http://api.example.com", allow)).toBe("upstream_not_allowed");
  expect(refusal("http://localhost:6379", parseAllowList(["localhost"]))).toBe("invalid");
});

test.each([
  "not a url",
  "https://h.example/a b",
  "https://",
  "https://[::",
  "ftp://h.example",
  "https://*.h.example",
])("rejects %j with a sentence that says what is accepted", (url) => {
  try {
    readUpstreamUrl(url, NO_ENTRIES);
    expect.unreachable();
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    expect(error.details.issues?.[0]?.message).toMatch(
      /^The base URL must .+, such as https:\/\/api\.example\.com\/v1\.$|^The base URL must be an address such as https:\/\/api\.example\.com\/v1, without .+\.$/,
    );
  }
});

test("names the host and port that the owner has to allow", () => {
  expect(() => readUpstreamUrl("http://LOCALHOST.:11434/v1", NO_ENTRIES)).toThrow("'localhost:11434'");
  expect(() => readUpstreamUrl("http://tts.lan", NO_ENTRIES)).toThrow("'tts.lan:80'");
});

test.each([
  ["127.0.0.1", true],
  ["::ffff:10.0.0.1", true],
  ["::ffff:8.8.8.8", false],
  ["8.8.8.8", false],
  ["172.15.255.255", false],
  ["172.31.255.255", true],
  ["172.32.0.0", false],
  ["100.63.255.255", false],
  ["100.127.255.255", true],
  ["192.0.2.1", false],
  ["2606:4700::1111", false],
  ["2001:0:1::1", true],
  ["2001:db8::1", false],
  ["fe80::1%eth0", true],
  ["fec0::1", true],
  ["feff::1", true],
])("isPrivate of %s is %s", (address, expected) => {
  const bytes = parseAddress(address);
  expect(bytes && isPrivate(bytes)).toBe(expected);
});

test.each([
  ["169.254.169.254", true],
  ["fe80::1", true],
  ["fd00:ec2::254", true],
  ["fd00:ec2::23", true],
  ["fd20:ce::254", true],
  ["100.100.100.200", true],
  ["168.63.129.16", true],
  ["192.0.0.192", true],
  ["::ffff:168.63.129.16", true],
  ["64:ff9b::168.63.129.16", true],
  ["168.63.129.17", false],
  ["10.0.0.1", false],
])("isMetadata of %s is %s", (address, expected) => {
  const bytes = parseAddress(address);
  expect(bytes && isMetadata(bytes)).toBe(expected);
});

test("refuses connections to what is not an address", () => {
  expect(parseAddress("example.com")).toBeNull();
  expect(mayConnect("example.com", "example.com", 443, NO_ENTRIES)).toBe(false);
});

test("allows a listed private host, never a metadata address", () => {
  const allow = parseAllowList(["h.example:443"]);
  expect(mayConnect("10.0.0.1", "h.example", 443, allow)).toBe(true);
  expect(mayConnect("10.0.0.1", "h.example", 8443, allow)).toBe(false);
  expect(mayConnect("169.254.169.254", "h.example", 443, allow)).toBe(false);
  expect(isMetadata(parseAddress("2002:a9fe:a9fe::") ?? new Uint8Array(16))).toBe(true);
});

test.each([
  ["localhost:11434", true],
  ["10.0.0.0/8", true],
  ["[::1]:8080", true],
  ["::1", true],
  ["fd00::/8", true],
  ["tts.lan", true],
  ["TTS.lan.", true],
  ["tts_1:8880", true],
  ["bücher.example", true],
  ["*", false],
  ["*:443", false],
  ["*.example.com", false],
  ["10.0.0.*", false],
  ["tts..lan", false],
  ["10.0.0.0/33", false],
  ["http://tts.lan", false],
  ["tts.lan:0", false],
  ["tts.lan:70000", false],
  ["a b", false],
  ["", false],
])("isAllowEntry of '%s' is %s", (entry, expected) => {
  expect(isAllowEntry(entry)).toBe(expected);
});
