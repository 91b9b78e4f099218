import fs, { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isParserLoosened, readEnvironment, SettingError } from "../../../lib/server/process/env";
import {
  checkSecret,
  instanceSecret,
  previousSecrets,
  rotateSecretFile,
} from "../../../lib/server/process/secret";
import { createCipher } from "../../../lib/store/cipher";
import { flush } from "../../../lib/store/flush";

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  return "";
}

describe("an invalid environment", () => {
  test.each<[string, string]>([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["HOST", "a host"],
    ["DATABASE_URL", "mysql://localhost/patchbay"],
    ["DATABASE_URL", "patchbay.db"],
    ["REDIS_URL", "localhost:6379"],
    ["REDIS_URL", "redis://"],
    ["REDIS_URL", "redis://one:6379,two:6379"],
    ["REDIS_URL", "redis://host:70000"],
    ["REDIS_URL", "redis://host/cache"],
    ["REDIS_URL", "redis+sentinel://host:26379"],
    ["REDIS_URL", "redis+cluster://host:6379/1"],
    ["REDIS_URL", "redis://user:%zz@host"],
    ["PATCHBAY_SHARED_CACHE_MB", "64M"],
    // Not accepted without REDIS_URL.
    ["PATCHBAY_SHARED_CACHE_MB", "64"],
    // Not accepted without REDIS_URL.
    ["REDIS_TLS_CA", "/etc/redis/ca.pem"],
    ["PATCHBAY_BASE_URL", "patchbay.example"],
    ["PATCHBAY_BASE_URL", "ftp://patchbay.example"],
    ["PATCHBAY_BASE_URL", "https://patchbay.example/under/a/path"],
    ["PATCHBAY_TRUSTED_PROXIES", "*"],
    ["PATCHBAY_TRUSTED_PROXIES", "proxy.example"],
    ["PATCHBAY_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["PATCHBAY_TRUSTED_PROXIES", "10.0.0"],
    ["PATCHBAY_SETUP_TOKEN", "short"],
    ["PATCHBAY_SETUP_OPEN", "yes"],
    ["PATCHBAY_PASSWORD_MIN", "7"],
    ["PATCHBAY_PASSWORD_MIN", "many"],
    ["PATCHBAY_UPSTREAM_ALLOW", "https://10.0.0.1/path"],
    ["PATCHBAY_WEBHOOK_ALLOW", "https://10.0.0.1/path"],
    ["PATCHBAY_UPSTREAM_ALLOW", "*"],
    ["PATCHBAY_UPSTREAM_ALLOW", "10.0.0.1,*.example.com"],
    ["PATCHBAY_WEBHOOK_ALLOW", "*.example.com:443"],
    ["PATCHBAY_METRICS_TOKEN", "short"],
    ["PATCHBAY_METRICS_TOKEN", "two words of a token"],
    ["PATCHBAY_LEGACY_ENGINES", "maybe"],
    ["PATCHBAY_VOICES", "maybe"],
    ["PATCHBAY_VOICES_URL", "ftp://mirror.example"],
    ["PATCHBAY_DRAIN_SECONDS", "-5"],
    ["PATCHBAY_DRAIN_SECONDS", "25s"],
    ["PATCHBAY_PROCESSES", "0"],
    ["PATCHBAY_PROCESSES", "100"],
    ["PATCHBAY_PROCESSES", "all"],
    ["DATABASE_URL_DIRECT", "file:patchbay.db"],
    ["PATCHBAY_LIMITS", "{"],
    ["PATCHBAY_LIMITS", "[]"],
    ["PATCHBAY_LIMITS", '{"headersTimeoutMs":0}'],
    ["PATCHBAY_LIMITS", '{"headersTimeout":1000}'],
    ["PATCHBAY_LOG_LEVEL", "loud"],
  ])("is rejected in one line that begins with the variable's name: %s=%s", (name, value) => {
    expect(messageOf(() => readEnvironment({ [name]: value }))).toMatch(new RegExp(`^${name}: [^\\n]{8,}$`));
  });

  test.each(["DATABASE_URL", "DATABASE_URL_DIRECT"])(
    "is rejected without the password that breaks %s",
    (name) => {
      for (const password of ["se/cret", "se#cret", "se?cret"])
        expect(
          messageOf(() => readEnvironment({ [name]: `postgres://patchbay:${password}@db/patchbay` })),
        ).toBe(
          `${name}: is not a URL; in a password write %2F for /, %23 for #, %3F for ?, %40 for @ and %25 for %`,
        );
    },
  );

  test("is rejected when REDIS_TLS_CA is set and Redis is reached without TLS", () => {
    const tlsCa = (url: string) =>
      messageOf(() => readEnvironment({ REDIS_URL: url, REDIS_TLS_CA: "/etc/redis/ca.pem" }));
    for (const url of ["redis://cache:6379", "redis+sentinel://cache/main"])
      expect(tlsCa(url)).toBe("REDIS_TLS_CA: needs a REDIS_URL with TLS, such as rediss://host:6379");
    for (const url of ["rediss://cache:6379", "rediss+sentinel://cache/main"]) expect(tlsCa(url)).toBe("");
  });

  test("is rejected with the name of the limit in PATCHBAY_LIMITS", () => {
    const message = messageOf(() => readEnvironment({ PATCHBAY_LIMITS: '{"consoleBodyBytes":"big"}' }));
    expect(message).toBe("PATCHBAY_LIMITS: consoleBodyBytes must be a number, not a string");
  });

  test.each([
    ['{"jsonBodyBytes":0}', "jsonBodyBytes must be at least 1"],
    ['{"jsonBytes":1}', "has the unknown field 'jsonBytes'"],
  ])("says what PATCHBAY_LIMITS accepts: %s", (value, expected) => {
    const message = messageOf(() => readEnvironment({ PATCHBAY_LIMITS: value }));
    expect(message).toBe(`PATCHBAY_LIMITS: ${expected}`);
  });
});

describe("a valid environment", () => {
  test("uses all defaults when nothing is set", () => {
    expect(readEnvironment({})).toMatchObject({
      port: 3000,
      host: "0.0.0.0",
      trustedProxies: [],
      baseUrl: null,
      setupToken: null,
      isSetupOpen: false,
      passwordMinimum: 8,
      drainMs: 25_000,
    });
  });

  test.each(["patchbay:se%2Fcret@db:5432", "patchbay@", ""])(
    "accepts a PostgreSQL server as %j",
    (server) => {
      const url = `postgres://${server}/patchbay?host=/run/postgresql`;
      expect(readEnvironment({ DATABASE_URL: url }).databaseUrl).toBe(url);
    },
  );

  test("reads tokens from files that end with a line break", () => {
    const token = "0123456789abcdef";
    const env = readEnvironment({
      PATCHBAY_SETUP_TOKEN: `${token}\n`,
      PATCHBAY_METRICS_TOKEN: `${token}\r\n`,
    });
    expect([env.setupToken, env.metricsToken]).toEqual([token, token]);
  });

  test("treats an empty variable as absent", () => {
    expect(readEnvironment({ PORT: "", PATCHBAY_SETUP_TOKEN: "", PATCHBAY_LIMITS: "" })).toMatchObject({
      port: 3000,
      setupToken: null,
    });
  });

  test.each([
    ["on", true],
    ["1", true],
    ["true", true],
    ["off", false],
    ["0", false],
    ["false", false],
  ])("turns every switch on or off with the same words: %s", (value, isOn) => {
    const env = readEnvironment({
      PATCHBAY_SETUP_OPEN: value,
      PATCHBAY_LEGACY_ENGINES: value,
      PATCHBAY_VOICES: value,
      PATCHBAY_API_ONLY: value,
    });
    expect([env.isSetupOpen, env.legacyEngines, env.voices !== null, env.isNodeAdapterOnly]).toEqual(
      Array(4).fill(isOn),
    );
  });

  test("accepts proxies as IPv4 and IPv6 addresses and ranges", () => {
    const list = "10.0.0.1, 192.168.0.0/16 ::1 2001:db8::/32";
    expect(readEnvironment({ PATCHBAY_TRUSTED_PROXIES: list }).trustedProxies).toEqual([
      "10.0.0.1",
      "192.168.0.0/16",
      "::1",
      "2001:db8::/32",
    ]);
  });

  test("replaces a single limit and keeps the others", () => {
    const { limits } = readEnvironment({ PATCHBAY_LIMITS: '{"consoleBodyBytes":10}' });
    expect(limits).toMatchObject({ consoleBodyBytes: 10, jsonBodyBytes: 4 * 1024 * 1024 });
  });
});

describe("a lenient HTTP parser", () => {
  test.each([
    "--insecure-http-parser",
    "--max-http-header-size=9000 --insecure_http_parser",
    '"--insecure_http-parser"',
  ])("is found in NODE_OPTIONS %s", (options) => {
    vi.stubEnv("NODE_OPTIONS", options);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(isParserLoosened()).toBe(true);
  });

  test.each(["", "--no-insecure-http-parser"])("is not found in NODE_OPTIONS '%s'", (options) => {
    vi.stubEnv("NODE_OPTIONS", options);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(isParserLoosened()).toBe(false);
  });
});

describe("checkSecret", () => {
  test.each([
    ["a short secret", "x7Gq-31 bytes are not enough..."],
    ["a repeated letter", "a".repeat(64)],
    ["a repeated word", "patchbay".repeat(8)],
    ["the secret of an example", "change-me-change-me-change-me-change-me"],
    ["a sequence of characters", "0123456789abcdefghijklmnopqrstuvwxyz"],
    ["repeated digits", "1234567890".repeat(4)],
  ])("rejects %s without printing it", (_name, secret) => {
    const message = messageOf(() => checkSecret("PATCHBAY_SECRET", secret));
    expect(message).toMatch(/^PATCHBAY_SECRET: /);
    expect(message).not.toContain(secret);
  });

  test("accepts a random secret", () => {
    expect(messageOf(() => checkSecret("PATCHBAY_SECRET", "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d"))).toBe("");
  });
});

/** Runs `work` in a new folder while a function of `node:fs` fails with this code. */
function whileFails(
  name: "renameSync" | "linkSync" | "writeFileSync",
  code: string,
  work: (folder: string) => void,
) {
  const folder = mkdtempSync(path.join(tmpdir(), "secret-"));
  const { writeFileSync } = fs;
  const spy = vi.spyOn(fs, name).mockImplementation((file: unknown) => {
    // As on a full disk: the file is there, its content is not.
    if (name === "writeFileSync") writeFileSync(String(file), "");
    throw Object.assign(new Error(code), { code });
  });
  syncBuiltinESMExports();
  const restore = () => {
    spy.mockRestore();
    syncBuiltinESMExports();
  };
  try {
    work(folder);
    restore();
    return { secret: instanceSecret(null, folder), files: fs.readdirSync(folder) };
  } finally {
    restore();
    rmSync(folder, { recursive: true });
  }
}

describe("the file of a new instance secret", () => {
  test("does not exist after its write failed, and is created by the next start", () => {
    const { files } = whileFails("writeFileSync", "ENOSPC", (folder) => {
      expect(messageOf(() => instanceSecret(null, folder))).toContain("cannot be written (ENOSPC)");
      expect(fs.readdirSync(folder)).toEqual([]);
    });
    expect(files).toEqual(["secret"]);
  });

  test("is not replaced while it is empty: another start may be writing it", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "secret-"));
    fs.writeFileSync(path.join(folder, "secret"), "");
    expect(messageOf(() => instanceSecret(null, folder))).toContain("secret: is empty; delete it");
    expect(fs.readdirSync(folder)).toEqual(["secret"]);
    rmSync(folder, { recursive: true });
  });

  test("is created where the file system has no hard links", () => {
    let created = "";
    const { secret } = whileFails("linkSync", "EPERM", (folder) => {
      created = instanceSecret(null, folder);
      expect(fs.statSync(path.join(folder, "secret")).mode & 0o777).toBe(0o600);
      expect(fs.readdirSync(folder)).toEqual(["secret"]);
    });
    expect(secret).toBe(created);
  });

  test("leaves no draft when a rotation fails", () => {
    const { files } = whileFails("renameSync", "EACCES", (folder) => {
      instanceSecret(null, folder);
      expect(() => rotateSecretFile(folder)).toThrow("EACCES");
    });
    expect(files).toEqual(["secret"]);
  });
});

test("a new instance secret and its folder are flushed to the disk, the folder not on Windows", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "secret-"));
  const flushed: number[] = [];
  const { fsyncSync } = fs;
  const spy = vi.spyOn(fs, "fsyncSync").mockImplementation((handle) => {
    flushed.push(fs.fstatSync(handle).ino);
    fsyncSync(handle);
  });
  syncBuiltinESMExports();
  try {
    const file = path.join(folder, "secret");
    const secret = instanceSecret(null, folder);
    expect(readFileSync(file, "utf8")).toBe(`${secret}\n`);
    expect(flushed).toEqual([fs.statSync(file).ino, fs.statSync(folder).ino]);
    instanceSecret(null, folder);
    flush(folder, "win32");
    expect(flushed).toHaveLength(2);
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
    rmSync(folder, { recursive: true });
  }
});

describe("PATCHBAY_SECRET_PREVIOUS", () => {
  const decrypts = (text: string, secret: string): boolean => {
    const { previousSecrets: given } = readEnvironment({ PATCHBAY_SECRET_PREVIOUS: text });
    const encrypted = createCipher({ current: secret, previous: [] }).encrypt("secret-check", "a", "b");
    const previous = previousSecrets(given, "/no/such/folder");
    return createCipher({ current: "another", previous }).decrypt("secret-check", "a", encrypted) === "b";
  };

  test.each([
    "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d",
    "nine tins, two kettles and a patch board",
    "Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d and a short end",
  ])("may be one secret: %s", (secret) => {
    expect(decrypts(secret, secret)).toBe(true);
  });

  test.each([",", " ", ", ", "\n"])("may be several secrets with %j between", (separator) => {
    const secrets = ["Zk3-vY8qL1nR6tW0xB5cF9hJ2mP7sU4d", "the-second-secret-of-the-operator-78"];
    for (const secret of secrets) expect(decrypts(secrets.join(separator), secret)).toBe(true);
  });

  // Otherwise values that are encrypted with a single, guessable word would be accepted.
  test("is not split into the words of one secret", () => {
    expect(() => decrypts("nine tins, two kettles and a patch board", "kettles")).toThrow();
  });

  test.each(["short", "short, shorter"])("is refused when it is short: %s", (text) => {
    expect(messageOf(() => previousSecrets(text, "/no/such/folder"))).toMatch(/^PATCHBAY_SECRET_PREVIOUS: /);
  });
});
