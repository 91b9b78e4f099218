import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { closeIdle } from "@/lib/server/process/drain";

/**
 * A caller in its own thread, which reports the status of a request and, 50 ms after a message, of a second request on
 * the same connection.
 */
const CALLER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const http = require("node:http");
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const send = () =>
    http
      .get({ port: workerData, agent }, (reply) => {
        reply.resume().on("end", () => parentPort.postMessage(reply.statusCode));
      })
      .on("error", (error) => parentPort.postMessage(error.code));
  send();
  parentPort.once("message", () => setTimeout(send, 50));
`;

test("answers a request that arrived while the process was too busy to read it", async () => {
  const server = http.createServer((_request, reply) => reply.end());
  await once(server.listen(0), "listening");
  onTestFinished(() => server.closeAllConnections());
  const caller = new Worker(CALLER, { eval: true, workerData: (server.address() as AddressInfo).port });
  onTestFinished(async () => void (await caller.terminate()));
  expect(await once(caller, "message")).toEqual([200]);
  const second = once(caller, "message");
  const notice = delay(20);
  caller.postMessage("again");
  const busyUntil = performance.now() + 1_000;
  while (performance.now() < busyUntil);
  await notice;
  await closeIdle(server);
  expect(await second).toEqual([200]);
});
