import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readGuide } from "../../../app/(console)/docs/read-guide";
import { DEFAULT_LIMITS } from "../../../lib/contracts/limits";
import { ROUTES } from "../../../lib/http/routes";
import type { ClusterMember } from "../../../lib/server/process/cluster-member";
import { readEnvironment } from "../../../lib/server/process/env";
import { createMetrics } from "../../../lib/server/process/metrics";
import { ROOT } from "../../support/sources";

/** The files for deployments parse, agree with each other and name only what exists. */

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const paths = ROUTES.filter((route) => route.method === "GET").map((route) => route.path);
const known = read("lib/server/process/env.ts");
const isVariable = (name: string) => new RegExp(`^\\s+${name}: `, "m").test(known);
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );

async function metricNames(): Promise<Set<string>> {
  const metrics = createMetrics({
    token: null,
    instance: { id: "i", version: "1" },
    inFlight: () => 0,
    isRedisUp: null,
    member: null,
  });
  metrics.observeCall({
    operation: "speech",
    model: "m",
    channel: { name: "c", provider: "openai", upstreamModel: "m" },
    status: 200,
    error: null,
    seconds: 1,
    firstByteSeconds: 1,
  });
  metrics.countRejection("openai", "rate_limited");
  const text = (await metrics.exposition?.render()) ?? "";
  return new Set([...text.matchAll(/^([a-z_]+\w*?)(?:\{| )/gm)].map(([, name = ""]) => name));
}

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      profiles: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      volumes: z.array(z.string()).default([]),
      depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
      networks: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});

describe("Caddyfile", () => {
  const text = read("lib/server/deploy/Caddyfile");

  test("balances over the containers of the service instead of checking their shared name", () => {
    expect(text).toContain("dynamic a patchbay 3000");
    expect(text).toContain("lb_try_duration");
    expect(text).not.toContain("health_uri");
  });

  test.each(["en", "zh"] as const)("has no option that the guide warns of (%s)", async (locale) => {
    const [, option = ""] =
      /(?:Leave out|请勿使用) `([^`]+)`/.exec((await readGuide(locale, "proxy")).text) ?? [];
    expect(option).toContain("flush_interval");
    expect(text).not.toContain(option);
  });
});

describe("Dockerfile", () => {
  const [, script = ""] = /CMD \["node", "-e", "([\s\S]*?)"\]/.exec(read("Dockerfile")) ?? [];

  test.each([
    ["the loopback address without HOST", "", "127.0.0.1"],
    ["the loopback address for all addresses", "0.0.0.0", "127.0.0.1"],
    ["the address in HOST", "127.0.0.2", "127.0.0.2"],
  ])("has a health check that asks %s", async (_, host, asked) => {
    const paths: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.end();
    }).listen(0, asked);
    await once(server, "listening");
    // A server that listens on TCP has an address and a port.
    const { port } = server.address() as AddressInfo;
    const env = { NODE_ENV: "production" as const, HOST: host, PORT: String(port) };
    const check = spawn(process.execPath, ["-e", script.replaceAll("\\\n", "")], { env });
    expect(await once(check, "close")).toEqual([0, null]);
    expect(paths).toEqual(["/api/health/ready"]);
    server.close();
  });
});

describe("compose.yaml", () => {
  const { services, volumes } = Compose.parse(parse(read("compose.yaml")));
  const environment = services.patchbay?.environment ?? {};
  /** The environment of Patchbay's containers with this .env, as compose fills it in. */
  const environmentWith = (file: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(
          /\$\{(\w+)(?::-([^}]*)|:\?[^}]+)\}/g,
          (_, wanted: string, fallback = "0123456789abcdef") => file[wanted] || fallback,
        ),
      ]),
    );

  test("has the services and profiles that the guide names", () => {
    const profiles = Object.entries(services).map(([name, { profiles = [] }]) =>
      [name, ...profiles].join(" "),
    );
    expect(profiles).toEqual([
      "patchbay",
      "postgres",
      "valkey",
      "caddy",
      "kokoro models",
      "embeddings models",
      "prometheus observability",
      "grafana observability",
    ]);
  });

  test("gives Patchbay only variables that exist, with values that it accepts", () => {
    // Read by Node and by the OpenTelemetry SDK.
    const others = new Set(["TZ", "OTEL_EXPORTER_OTLP_HEADERS"]);
    expect(Object.keys(environment).filter((name) => !isVariable(name) && !others.has(name))).toEqual([]);
    const env = readEnvironment(environmentWith({}));
    expect(env).toMatchObject({ processes: 1, limits: DEFAULT_LIMITS, webhookAllow: [], telemetry: null });
    expect(env.baseUrl).toBe("https://localhost");
    expect(env.databaseUrl).toBe("postgres://patchbay:0123456789abcdef@postgres/patchbay");
  });

  test("passes on the variables of .env", () => {
    const env = environmentWith({
      TZ: "Asia/Shanghai",
      PATCHBAY_PROCESSES: "3",
      PATCHBAY_SHARED_CACHE_MB: "64",
      PATCHBAY_LIMITS: '{"callMs":300000}',
      PATCHBAY_UPSTREAM_ALLOW: "nas.lan:11434",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    });
    expect(env.TZ).toBe("Asia/Shanghai");
    const { processes, sharedCacheBytes, limits, upstreamAllow, telemetry } = readEnvironment(env);
    expect([processes, sharedCacheBytes, limits.callMs]).toEqual([3, 64 * 1_024 * 1_024, 300_000]);
    expect(upstreamAllow).toEqual(["kokoro:8880", "embeddings:80", "nas.lan:11434"]);
    expect(telemetry).not.toBeNull();
  });

  test("trusts the address that Caddy has", () => {
    expect(services.caddy?.networks).toEqual({
      inside: { ipv4_address: environment.PATCHBAY_TRUSTED_PROXIES },
    });
  });

  test("allows the model servers of its profile as upstreams", () => {
    const hosts = readEnvironment(environmentWith({})).upstreamAllow.map((entry) => entry.split(":")[0]);
    expect(hosts).toEqual(
      Object.keys(services).filter((name) => services[name]?.profiles?.includes("models")),
    );
  });

  test("mounts only files of the repository and volumes that it declares", () => {
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((one) => one.split(":")[0] ?? ""),
    );
    const missing = sources.filter((one) =>
      one.startsWith("./") ? !existsSync(path.join(ROOT, one)) : !(one in volumes),
    );
    expect(missing).toEqual([]);
  });
});

const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.object({ name: z.literal("patchbay") }),
  stringData: z.record(z.string(), z.string()).optional(),
});
const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal("http") }) });
const Deployment = z.object({
  apiVersion: z.string(),
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.literal(10_001) }),
        containers: z.tuple([
          z.object({
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            startupProbe: Probe,
            readinessProbe: Probe,
            livenessProbe: Probe,
            securityContext: z.object({
              readOnlyRootFilesystem: z.literal(true),
              allowPrivilegeEscalation: z.literal(false),
            }),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});

const Scaler = z.object({
  spec: z.object({
    scaleTargetRef: z.unknown(),
    minReplicas: z.number(),
    maxReplicas: z.number(),
    metrics: z.tuple([
      z.object({
        type: z.literal("Pods"),
        pods: z.object({
          metric: z.object({ name: z.string() }),
          target: z.object({ type: z.literal("AverageValue"), averageValue: z.coerce.number().positive() }),
        }),
      }),
    ]),
  }),
});
const Ports = z.array(
  z.object({ port: z.union([z.string(), z.number()]), protocol: z.string().default("TCP") }),
);
const Policy = z.object({
  spec: z.object({
    podSelector: z.unknown(),
    policyTypes: z.array(z.string()),
    // An empty list of peers would allow all of them.
    ingress: z.array(z.object({ from: z.array(z.looseObject({})).min(1), ports: Ports })),
    egress: z.array(z.object({ to: z.array(z.looseObject({})).min(1), ports: Ports })),
  }),
});

describe("the Kubernetes guide", async () => {
  const { text } = await readGuide("en", "kubernetes");
  const [yaml = ""] = blocks(text, "yaml");
  const manifests = parseAllDocuments(yaml).map((document) => Manifest.parse(document.toJS()));
  const find = (kind: string) => manifests.find((manifest) => manifest.kind === kind);
  const { spec, apiVersion } = Deployment.parse(find("Deployment"));
  const [container] = spec.template.spec.containers;

  test("has each manifest once, and the same in both languages", async () => {
    expect(manifests.map((manifest) => manifest.kind)).toEqual([
      "Secret",
      "Deployment",
      "Service",
      "PodDisruptionBudget",
      "HorizontalPodAutoscaler",
      "NetworkPolicy",
    ]);
    expect(blocks((await readGuide("zh", "kubernetes")).text, "yaml")).toEqual([yaml]);
  });

  test("probes paths that the server has", () => {
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe])
      expect(paths).toContain(probe.httpGet.path);
  });

  test("sets only variables that exist", () => {
    const names = [...Object.keys(find("Secret")?.stringData ?? {}), ...container.env.map((one) => one.name)];
    expect(names.filter((name) => !isVariable(name))).toEqual([]);
  });

  test.each(["en", "zh"] as const)(
    "turns local voices off while each pod has its own data (%s)",
    async (locale) => {
      expect(spec.template.spec.volumes).toContainEqual({ name: "data", emptyDir: {} });
      expect(container.env).toContainEqual({ name: "PATCHBAY_VOICES", value: "off" });
      expect(readEnvironment({ PATCHBAY_VOICES: "off" }).voices).toBeNull();
      expect((await readGuide(locale, "kubernetes")).text).toMatch(
        /ReadWriteMany.*\/data\/voices|\/data\/voices.*ReadWriteMany/,
      );
    },
  );

  test("gives a stopping pod more time than the drain takes", () => {
    const drainSeconds = readEnvironment({}).drainMs / 1_000;
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 5);
  });

  test("selects the pods that it creates, and mounts the volumes that it declares", () => {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    const labels = z.object({ spec: z.object({ selector: z.unknown() }) });
    expect(labels.parse(find("Service")).spec.selector).toEqual(spec.selector.matchLabels);
    expect(labels.parse(find("PodDisruptionBudget")).spec.selector).toEqual(spec.selector);
    expect(container.volumeMounts.map((one) => one.name)).toEqual(
      spec.template.spec.volumes.map((one) => one.name),
    );
    expect(container.volumeMounts.map((one) => one.mountPath)).toContain("/data");
  });

  test("scales the deployment, from its replicas up, on a metric that the server has", async () => {
    const scaler = Scaler.parse(find("HorizontalPodAutoscaler")).spec;
    expect(scaler.scaleTargetRef).toEqual({ apiVersion, kind: "Deployment", name: "patchbay" });
    // Fewer would end pods of the first start; the disruption budget allows one of them to be absent.
    expect(scaler.minReplicas).toBe(spec.replicas);
    expect(scaler.minReplicas).toBeGreaterThan(1);
    expect(scaler.maxReplicas).toBeGreaterThan(scaler.minReplicas);
    const [{ pods }] = scaler.metrics;
    expect(pods.metric.name).toBe("patchbay_requests_in_flight");
    expect(await metricNames()).toContain(pods.metric.name);
  });

  test("admits callers to the server's port only, and lets it reach what it needs", () => {
    const policy = Policy.parse(find("NetworkPolicy")).spec;
    expect(policy.podSelector).toEqual(spec.selector);
    expect(policy.policyTypes).toEqual(["Ingress", "Egress"]);
    expect(container.ports).toEqual([{ name: "http", containerPort: readEnvironment({}).port }]);
    expect(policy.ingress.flatMap(({ ports }) => ports)).toEqual([{ port: "http", protocol: "TCP" }]);
    const { DATABASE_URL = "", REDIS_URL = "" } = find("Secret")?.stringData ?? {};
    const database = {
      app: new URL(DATABASE_URL).hostname,
      port: Number(new URL(DATABASE_URL).port || 5432),
    };
    const redis = { app: new URL(REDIS_URL).hostname, port: Number(new URL(REDIS_URL).port || 6379) };
    const allowed = policy.egress.map(({ to, ports }) => ({
      to,
      ports: ports.map(({ port, protocol }) => `${port}/${protocol}`),
    }));
    expect(allowed).toMatchObject([
      { to: [{ namespaceSelector: {} }], ports: ["53/UDP", "53/TCP"] },
      ...[database, redis].map(({ app, port }) => ({
        to: [{ podSelector: { matchLabels: { app } } }],
        ports: [`${port}/TCP`],
      })),
      {
        to: [{ ipBlock: { cidr: "0.0.0.0/0", except: expect.arrayContaining(["10.0.0.0/8"]) } }],
        ports: ["443/TCP"],
      },
    ]);
  });
});

describe("the containers guide", () => {
  test.each(["en", "zh"] as const)(
    "has a systemd unit that starts the same program as the image (%s)",
    async (locale) => {
      const [unit = ""] = blocks((await readGuide(locale, "containers")).text, "ini");
      const lines = unit.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      expect(lines.filter((line) => !/^(?:\[\w+\]|\w+=.*)$/.test(line))).toEqual([]);
      expect(unit).toContain("ExecStart=/usr/bin/node .next/patchbay/main.mjs\n");
      const variables = /^Environment=(.+)$/m
        .exec(unit)?.[1]
        ?.split(" ")
        .map((one) => one.split("=")[0] ?? "");
      expect(variables?.filter((name) => !isVariable(name))).toEqual([]);
    },
  );

  test.each(["en", "zh"] as const)("runs commands in services that compose.yaml has (%s)", async (locale) => {
    const { services } = Compose.parse(parse(read("compose.yaml")));
    const { text } = await readGuide(locale, "containers");
    const commands = [...text.matchAll(/^docker compose (?:exec|run) (?:-[-\w]+ (?:"\S+ )?)*(\S+)/gm)];
    expect(commands.map(([, service]) => service)).toEqual(["postgres", "patchbay"]);
    for (const [, service = ""] of commands) expect(services).toHaveProperty(service);
  });
});

describe("the dashboard", () => {
  const Target = z.object({ expr: z.string(), legendFormat: z.string() });
  const dashboard = z
    .object({
      panels: z.array(z.object({ title: z.string(), targets: z.array(Target) })),
    })
    .parse(JSON.parse(read("lib/server/deploy/grafana/dashboard.json")));

  test("draws only metrics that the server has", async () => {
    const names = await metricNames();
    const missing = dashboard.panels.flatMap(({ title, targets }) =>
      targets
        .flatMap(({ expr }) => expr.match(/\b(?:patchbay|process|nodejs)_\w+/g) ?? [])
        .filter((name) => !names.has(name))
        .map((name) => `${title}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("shows no errors as 0, and each process of a server", () => {
    const find = (title: string) => dashboard.panels.find((panel) => panel.title === title)?.targets[0];
    expect(find("Errors")?.expr).toMatch(/^\(sum\(.*status=~"5\.\.".*\) or vector\(0\)\) \/ sum\(/);
    for (const title of ["CPU", "Memory", "Event loop delay, p99"])
      expect(find(title)?.legendFormat).toBe("{{instance}} {{process}}");
  });
});

test("a scrape has separate series for the counters of a process and of its replacement", async () => {
  const handlers: Record<"old" | "replacement", ClusterMember["handlers"]> = {
    old: { stop: () => undefined, announce: async () => undefined, measure: async () => [] },
    replacement: { stop: () => undefined, announce: async () => undefined, measure: async () => [] },
  };
  const collect = () => Promise.all([handlers.old.measure(), handlers.replacement.measure()]);
  const create = (name: keyof typeof handlers) =>
    createMetrics({
      token: null,
      instance: { id: name, version: "1" },
      inFlight: () => 0,
      isRedisUp: () => name === "old",
      member: { index: 1, collect, handlers: handlers[name] },
    });
  create("old").count("usage_rows", 3);
  const replacement = create("replacement");
  replacement.count("usage_rows", 2);
  const text = await replacement.exposition?.render();
  for (const [id, rows, isUp] of [
    ["old", 3, 1],
    ["replacement", 2, 0],
  ]) {
    const labels = `{process="1",instance_id="${id}"}`;
    expect(text).toContain(`patchbay_usage_rows_total${labels} ${rows}\n`);
    expect(text).toContain(`patchbay_redis_up${labels} ${isUp}\n`);
    expect(text).toContain(`process_start_time_seconds${labels} `);
  }
});

describe("the image", () => {
  const dockerfile = read("Dockerfile");

  test("runs as an unprivileged user and checks a path that the server has", () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(paths).toContain(/path: '([^']+)'/.exec(dockerfile)?.[1]);
  });

  test("copies files that its context has", () => {
    const ignored = read(".dockerignore").trim().split("\n");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
      sources.split(" "),
    );
    expect(copied).toContain("package-lock.json");
    expect(copied.filter((one) => !existsSync(path.join(ROOT, one)) || ignored.includes(one))).toEqual([]);
  });
});
