import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import {
  api,
  cached,
  cacheKey,
  callApi,
  downloadFile,
  endpointOf,
  fetchCached,
  urlOf,
} from "@/lib/client/api";
import * as endpoints from "@/lib/client/endpoints";
import { failureOfError, GatewayError } from "@/lib/client/gateway-error";
import { LIVE_RULES } from "@/lib/client/live";
import { forgetPlaygroundKey, withPlaygroundKey } from "@/lib/client/playground-key";
import { searchText } from "@/lib/client/query-params";
import { revalidate } from "@/lib/client/use-api";
import { cachedPages } from "@/lib/client/use-api-pages";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
import { ENDPOINTS } from "@/lib/contracts/console/endpoints";
import { sourcesBelow } from "../../support/sources";

afterEach(() => vi.unstubAllGlobals());

/** Answers every request with `reply`, and records them. */
function stubFetch(reply: () => Response) {
  const requests: [string, RequestInit][] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    requests.push([url, init]);
    return reply();
  });
  return requests;
}
const success = (data: unknown) => () => Response.json({ success: true, message: "", data });

describe("the URL of an endpoint", () => {
  test("encodes path parameters and leaves out absent query parameters", () => {
    expect(urlOf(api.previewRoute, { params: { model: "a/b c" } })).toBe("/api/models/a%2Fb%20c/route");
    expect(urlOf(api.listKeys, { query: { q: "a&b", limit: 20, owner_id: null, cursor: undefined } })).toBe(
      "/api/keys?q=a%26b&limit=20",
    );
    expect(urlOf(api.listKeys)).toBe("/api/keys");
  });

  test("has its query in browsers whose URLSearchParams has no size", () => {
    vi.spyOn(URLSearchParams.prototype, "size", "get").mockReturnValue(NaN);
    expect(urlOf(api.listKeys, { query: { limit: 20 } })).toBe("/api/keys?limit=20");
    vi.restoreAllMocks();
  });

  test("is checked by the compiler", () => {
    // @ts-expect-error: the endpoint has a path parameter.
    expect(urlOf(api.getKey)).toBe("/api/keys/");
    // @ts-expect-error: the endpoint has no such query parameter.
    expect(urlOf(api.listKeys, { query: { page: 2 } })).toBe("/api/keys?page=2");
  });
});

test("callApi translates the server's error messages into the language of the page", async () => {
  const body = {
    success: false,
    code: "conflict",
    message: "API key not found.",
    issues: [
      { path: "keys", message: "Must be 5 or less." },
      { path: "a", message: "Channel not found." },
    ],
  };
  stubFetch(() => Response.json(body, { status: 409 }));
  await expect(callApi(api.listKeys)).rejects.toMatchObject({ message: body.message, issues: body.issues });
  vi.stubGlobal("document", { documentElement: { lang: "zh" } });
  await expect(callApi(api.listKeys)).rejects.toMatchObject({
    message: "找不到 API 密钥。",
    issues: [
      { path: "keys", message: "Must be 5 or less." },
      { path: "a", message: "找不到渠道。" },
    ],
  });
});

describe("an API call", () => {
  test("sends method, path and JSON body, and returns data of the declared type", async () => {
    const requests = stubFetch(success({ id: "key_1" }));
    const key = await callApi(api.updateKey, {
      params: { id: "key_1" },
      body: { version: 1, enabled: false },
    });
    expectTypeOf(key).toEqualTypeOf<ApiKey>();
    expect(key).toEqual({ id: "key_1" });
    expect(requests).toEqual([
      [
        "/api/keys/key_1",
        expect.objectContaining({ method: "PATCH", body: '{"version":1,"enabled":false}' }),
      ],
    ]);
  });

  test("sends an empty object where a POST has no body, and no body otherwise", async () => {
    const requests = stubFetch(success(null));
    await callApi(api.signOut);
    await callApi(api.endOtherSessions);
    expect(requests.map(([, init]) => init.body)).toEqual(["{}", undefined]);
  });

  test("throws an ApiError with the fields of an error reply", async () => {
    stubFetch(() => Response.json({ success: false, code: "conflict", message: "Taken." }, { status: 409 }));
    await expect(callApi(api.createKey, { body: { name: "a" } })).rejects.toMatchObject({
      status: 409,
      code: "conflict",
      message: "Taken.",
    });
  });

  test("throws the code `network` without a reply, and the original error when aborted", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
    await expect(callApi(api.readSelf)).rejects.toMatchObject({ status: 0, code: "network" });
    const signal = AbortSignal.abort();
    await expect(callApi(api.readSelf, { signal })).rejects.toBeInstanceOf(TypeError);
  });

  test("throws the code `network` for a reply that breaks off, and `internal` for a proxy's error page", async () => {
    const brokenOff = () =>
      new Response(
        new ReadableStream({
          start: (body) => body.enqueue(new TextEncoder().encode('{"success":true,')),
          pull: (body) => body.error(new TypeError("network error")),
        }),
      );
    stubFetch(brokenOff);
    await expect(callApi(api.readSelf)).rejects.toMatchObject({ status: 0, code: "network" });
    await expect(downloadFile(api.exportSettings)).rejects.toMatchObject({ status: 0, code: "network" });
    stubFetch(() => new Response("<html>", { status: 502 }));
    await expect(callApi(api.readSelf)).rejects.toMatchObject({ status: 502, code: "internal" });
  });

  test("downloads a file under the name that the server gives", async () => {
    const headers = { "content-disposition": 'attachment; filename="backup.db"' };
    stubFetch(() => new Response("bytes", { headers }));
    const { name, content } = await downloadFile(api.downloadBackup, { body: { password: "p" } });
    expect([name, await content.text()]).toEqual(["backup.db", "bytes"]);
  });
});

describe("the API cache", () => {
  test("keys each reply by endpoint and URL, and fetches a reply by its key", async () => {
    const key = cacheKey(api.getCall, { params: { id: "use_1" } });
    expect([endpointOf(key), endpointOf(`$inf$${key}`)]).toEqual([api.getCall, api.getCall]);
    expect(endpointOf("/openapi.json")).toBeUndefined();
    const requests = stubFetch(success("call"));
    expect(await fetchCached(key)).toBe("call");
    expect(requests[0]?.[0]).toBe("/api/usage/use_1");
  });

  test("is filled with the server's data under the keys of the hooks", () => {
    const summary = { open: 1, unseen: 1, webhook_secret: { made: true } };
    expect(cached(api.summarizeAlerts, {}, summary)).toEqual({
      [cacheKey(api.summarizeAlerts)]: summary,
    });
    const page = { items: [], next_cursor: null };
    expect(cachedPages(api.listKeys, { query: { q: "web" } }, page)).toEqual({
      "$inf$GET /api/keys /api/keys?q=web&limit=50": [page],
    });
  });

  test("revalidates only the replies of the named endpoints, and later pages with their list", async () => {
    const keys = [
      cacheKey(api.listCalls, { query: { limit: 50 } }),
      cacheKey(api.listCalls, { query: { limit: 50, cursor: "c" } }),
      cacheKey(api.getCall, { params: { id: "use_1" } }),
      cacheKey(api.summarizeUsage),
    ];
    const cache = new Map(keys.map((key) => [key, {}]));
    const calls: unknown[][] = [];
    const mutate = async (...args: unknown[]) => [calls.push(args)];
    await revalidate({ cache: cacheOf(cache), mutate }, [api.listCalls], true);
    expect(calls).toEqual([[keys[1], undefined, { revalidate: false }], [keys[0]]]);
    calls.length = 0;
    await revalidate({ cache: cacheOf(cache), mutate }, [api.listCalls, api.summarizeUsage], false);
    expect(calls).toEqual([[keys[0]], [keys[3]]]);
  });

  test("searchText returns null for a text of fewer than two characters", () => {
    expect([searchText(" a "), searchText(" ab ")]).toEqual([null, "ab"]);
  });
});

const cacheOf = (map: Map<string, object>) => ({
  keys: () => map.keys(),
  get: (key: string) => map.get(key),
  set: (key: string, value: object) => void map.set(key, value),
  delete: (key: string) => void map.delete(key),
});

test("every named endpoint is declared once and used", () => {
  const named = Object.entries(endpoints);
  expect(named.filter(([, key]) => !Object.hasOwn(ENDPOINTS, key))).toEqual([]);
  expect(new Set(named.map(([, key]) => key)).size).toBe(named.length);
  const text = sourcesBelow("app", "components", "lib/client").map((source) => source.text);
  const isUsed = (name: string) => text.some((one) => new RegExp(`\\bapi\\.${name}\\b`).test(one));
  const inStream = ["watchChanges"];
  expect(named.map(([name]) => name).filter((name) => !isUsed(name) && !inStream.includes(name))).toEqual([]);
});

test("every cached reply of changing data has exactly one rule for live updates", () => {
  const cachedNames = sourcesBelow("app", "components", "lib/client").flatMap(({ text }) =>
    [...text.matchAll(/useApi(?:Pages)?\(\s*api\.(\w+)/g)].map((match) => match[1] ?? ""),
  );
  expect(cachedNames.length).toBeGreaterThan(30);
  // In this order: changes before a session exists; never changes; changes only on the settings page; the last two
  // are polled.
  const unwatched = [
    "readSetupState",
    "listProviders",
    "listAllowedUpstreams",
    "listInstances",
    "listVoices",
  ];
  const rulesOf = (name: string) => {
    const key: unknown = Object.entries(endpoints).find(([one]) => one === name)?.[1];
    return LIVE_RULES.filter((rule) => rule.endpoints.some((one) => one === key)).length;
  };
  const names = [...new Set(cachedNames)].filter((name) => !unwatched.includes(name));
  expect(names.map((name) => [name, rulesOf(name)])).toEqual(names.map((name) => [name, 1]));
});

test("renews the playground key a minute before it expires, and after a 401", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  let made = 0;
  stubFetch(() => {
    made += 1;
    const expires_at = new Date(Date.now() + 900_000).toISOString();
    return Response.json({ success: true, data: { key: `key-${made}`, expires_at } });
  });
  forgetPlaygroundKey();
  const current = () => withPlaygroundKey(async (key) => key);
  expect([await current(), await current()]).toEqual(["key-1", "key-1"]);
  vi.setSystemTime(Date.now() + 839_000);
  expect(await current()).toBe("key-1");
  vi.setSystemTime(Date.now() + 2_000);
  expect(await current()).toBe("key-2");
  const used: string[] = [];
  await withPlaygroundKey(async (key) => {
    used.push(key);
    if (used.length > 1) return;
    const refusal = { message: "", status: 401, code: null, requestId: null, retryAfterMs: null };
    throw new GatewayError({ ...refusal, advice: "sign-in" });
  });
  expect(used).toEqual(["key-2", "key-3"]);
  forgetPlaygroundKey();
  vi.useRealTimers();
});

test("a proxy's error page instead of a playground key means that the server is offline", async () => {
  forgetPlaygroundKey();
  stubFetch(() => new Response("<html>", { status: 502 }));
  const failed = await withPlaygroundKey(async () => null).catch((error: unknown) => error);
  expect(failureOfError(failed)).toMatchObject({ advice: "offline" });
});
