/** Whether rejected sign-ins can be told apart by their timing, and what a flood of them costs the gateway. */
import { load, printRows } from "./load.mjs";
import { setUpWithCookie, startFor } from "./product.mjs";

const SAMPLES = 60;
const LIMITS = JSON.stringify({ loginAttemptsPerMinute: 1_000_000 });
const JSON_TYPE = { "content-type": "application/json" };

async function timeSignIn(url, body) {
  const startedAt = performance.now();
  const reply = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  await reply.arrayBuffer();
  return performance.now() - startedAt;
}

/** Area under the ROC curve, at least 0.5: 0.5 when samples of `a` and `b` cannot be told apart, 1 when always. */
function auc(a, b) {
  let wins = 0;
  for (const x of a) for (const y of b) wins += x < y ? 1 : x === y ? 0.5 : 0;
  const share = wins / (a.length * b.length);
  return Math.max(share, 1 - share);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

async function addUser(url, cookie, fields) {
  const reply = await fetch(`${url}/api/users`, {
    method: "POST",
    headers: { ...JSON_TYPE, cookie },
    body: JSON.stringify({ password: "nine blue lanterns drift", ...fields }),
  });
  return (await reply.json()).data;
}

async function benchRefusals() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"], {
    env: { PATCHBAY_API_ONLY: "1", PATCHBAY_LIMITS: LIMITS },
  });
  const { cookie } = await setUpWithCookie(product.url);
  const times = { unknown: [], wrong: [], disabled: [] };
  for (let i = 0; i < SAMPLES; i++) {
    // One name per sample: ten wrong passwords for one name cause a delay.
    const wrong = await addUser(product.url, cookie, { username: `w${i}` });
    const disabled = await addUser(product.url, cookie, { username: `d${i}` });
    await fetch(`${product.url}/api/users/${disabled.id}`, {
      method: "PATCH",
      headers: { ...JSON_TYPE, cookie },
      body: JSON.stringify({ enabled: false, version: disabled.version }),
    });
    times.unknown.push(await timeSignIn(product.url, { username: `u${i}`, password: "some guess of mine" }));
    times.wrong.push(
      await timeSignIn(product.url, { username: wrong.username, password: "some guess of mine" }),
    );
    times.disabled.push(
      await timeSignIn(product.url, { username: disabled.username, password: "nine blue lanterns drift" }),
    );
  }
  console.log(`\nRejected sign-ins, ${SAMPLES} of each (0.5: cannot be told apart; at most 0.6 is promised)`);
  for (const [name, values] of Object.entries(times))
    console.log(`${name.padEnd(10)} ${median(values).toFixed(1)} ms`);
  console.log(`unknown/wrong ${auc(times.unknown, times.wrong).toFixed(2)}`);
  console.log(`unknown/disabled ${auc(times.unknown, times.disabled).toFixed(2)}`);
  console.log(`wrong/disabled ${auc(times.wrong, times.disabled).toFixed(2)}`);
  await product.stop();
}

/** Sends 200 sign-ins per second until stopped. */
function flood(url) {
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    timeSignIn(url, { username: `nobody${sent}`, password: "some guess of mine" }).catch(() => undefined);
  }, 5);
  return { stop: () => clearInterval(timer), sent: () => sent };
}

async function benchFlood() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"], {
    env: { PATCHBAY_API_ONLY: "1", PATCHBAY_LIMITS: LIMITS },
  });
  const { key } = await setUpWithCookie(product.url);
  const target = {
    url: `${product.url}/v1/embeddings`,
    pid: product.pid,
    headers: { authorization: `Bearer ${key}` },
    body: (i) =>
      JSON.stringify({
        model: "patchbay-embed",
        input: `a short text, number ${i}`,
        encoding_format: "base64",
      }),
  };
  const settings = { connections: 4, seconds: 5 };
  const quiet = await load(target, settings);
  const attack = flood(product.url);
  const flooded = await load(target, settings);
  attack.stop();
  printRows("Four embeddings callers, alone and during 200 sign-ins per second", [
    ["alone", quiet],
    [`during ${attack.sent()} sign-ins`, flooded],
  ]);
  await product.stop();
}

export async function benchSignIn() {
  await benchRefusals();
  await benchFlood();
}
