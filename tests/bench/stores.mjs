/**
 * `npm run bench stores`: CPU per embeddings request through a routed channel on SQLite, PostgreSQL, and PostgreSQL
 * with Redis, in one run with the targets in turns; then requests per second of 1 and 2 processes. PostgreSQL and
 * Redis are started here. Their CPU is not part of the gateway's and is printed separately.
 */
import { importTypeScript } from "./bundle.mjs";
import { BASE64_ROW, startGateway, startScript } from "./gateway.mjs";
import { cpuSeconds, load } from "./load.mjs";

const CONNECTIONS = 64;
const WARM_SECONDS = 6;
const ROUNDS = 3;
const ROUND_SECONDS = 3;
const MAIN = ["node", ".next/patchbay/main.mjs"];

const sum = (figures, field) => figures.reduce((total, one) => total + one[field], 0);

/** One round of a target, with the CPU of the servers that it uses. */
async function measureRound(target, seconds) {
  const before = target.servers.map(cpuSeconds);
  const figures = await load(
    { ...BASE64_ROW, url: `${target.url}/v1/embeddings`, pid: target.pid, headers: target.headers },
    { connections: CONNECTIONS, warmupSeconds: 0.2, seconds },
  );
  const used = target.servers.reduce((total, pid, index) => total + cpuSeconds(pid) - before[index], 0);
  return { ...figures, serverMicros: (used / Math.max(1, figures.requests)) * 1e6 };
}

/** The means of each target's rounds. */
async function measure(targets) {
  for (const target of targets) await measureRound(target, WARM_SECONDS);
  const rounds = targets.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, target] of targets.entries())
      rounds[index].push(await measureRound(target, ROUND_SECONDS));
  return rounds.map((figures) => ({
    cpuMicros: sum(figures, "cpuMicros") / ROUNDS,
    serverMicros: sum(figures, "serverMicros") / ROUNDS,
    perSecond: sum(figures, "perSecond") / ROUNDS,
    p50: sum(figures, "p50") / ROUNDS,
    failed: sum(figures, "failed"),
  }));
}

function print(title, targets, figures) {
  console.log(`\n${title}`);
  const heads = ["CPU µs/req", "ratio", "servers µs/req", "req/s", "p50 ms", "failed"];
  console.log(`${"".padEnd(34)}${heads.map((head) => head.padStart(15)).join("")}`);
  for (const [index, { name }] of targets.entries()) {
    const { cpuMicros, serverMicros, perSecond, p50, failed } = figures[index];
    const ratio = cpuMicros / figures[0].cpuMicros;
    const cells = [cpuMicros.toFixed(0), ratio.toFixed(2), serverMicros.toFixed(0), perSecond.toFixed(0)];
    const row = [...cells, p50.toFixed(1), String(failed)].map((cell) => cell.padStart(15)).join("");
    console.log(`${name.padEnd(34)}${row}`);
  }
}

export async function benchStores() {
  const { startPostgres, startRedis } = await importTypeScript("servers", [
    'export { startPostgres } from "./tests/support/postgres";',
    'export { startRedis } from "./tests/support/redis";',
  ]);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const redisPid = Number(/process_id:(\d+)/.exec(String(await redis.command("INFO", "server")))?.[1]);
  const upstream = await startScript("./upstream.mjs", [], false);
  const start = async (name, env, servers, isPinned) => {
    const target = await startGateway(name, MAIN, {
      upstream,
      env: { PATCHBAY_API_ONLY: "1", ...env },
      isPinned,
    });
    return { ...target, servers };
  };
  const onPostgres = async () => ({ DATABASE_URL: await postgres.createDatabase() });
  const onBoth = async () => ({ ...(await onPostgres()), REDIS_URL: redis.url });

  const stores = [
    await start("SQLite", {}, [], true),
    await start("PostgreSQL", await onPostgres(), [postgres.pid()], true),
    await start("PostgreSQL and Redis", await onBoth(), [postgres.pid(), redisPid], true),
  ];
  const title = `embeddings, base64; ${CONNECTIONS} connections; one process`;
  print(`${title} on its own core`, stores, await measure(stores));
  for (const target of stores) await target.stop();

  for (const [name, envOf, servers] of [
    ["SQLite", async () => ({}), []],
    ["PostgreSQL and Redis", onBoth, [postgres.pid(), redisPid]],
  ]) {
    const targets = [];
    for (const processes of ["1", "2"]) {
      const env = { ...(await envOf()), PATCHBAY_PROCESSES: processes };
      targets.push(await start(`${name}, ${processes} process(es)`, env, servers, false));
    }
    print("not pinned: the load takes its part of the cores, too", targets, await measure(targets));
    for (const target of targets) await target.stop();
  }
  upstream.stop();
  await Promise.all([postgres.close(), redis.close()]);
}
