import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContainer } from "../../../lib/server/process/container";
import { readEnvironment } from "../../../lib/server/process/env";
import { createNodeServer, portOf } from "../../../lib/server/process/node-server";
import { createKey, setUp } from "../../support/product";
import { openWire } from "../../support/raw-request";

async function startServer() {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-traffic-"));
  const container = await createContainer(
    readEnvironment({ PATCHBAY_DATA_DIR: directory, PATCHBAY_LOG_LEVEL: "silent" }),
  );
  const nodeServer = createNodeServer(container, container.services.log);
  const { server } = nodeServer;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await container.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server) ?? 0;
  return { container, nodeServer, port, url: `http://127.0.0.1:${port}` };
}

test("an instance reports the rate of gateway requests, without those of the console", async () => {
  const { container, url } = await startServer();
  const before = container.traffic().total;
  for (const target of ["/v1/models", "/v1beta/models", "/api/status", "/api/status", "/metrics", "/"])
    await (await fetch(url + target)).text();
  expect(container.traffic().total - before).toBe(2);
});

test("an instance reports the gateway requests in flight, without the console's event streams", async () => {
  const { container, nodeServer, port, url } = await startServer();
  const cookie = await setUp(url);
  const key = await createKey(url, cookie);
  const inMetrics = async () =>
    Number(/^patchbay_requests_in_flight (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

  const events = await openWire(port);
  events.send(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
  await events.until("200 OK");
  expect(nodeServer.running).toBe(1);
  expect([container.traffic().inFlight, await inMetrics()]).toEqual([0, 0]);

  const call = await openWire(port);
  call.send(
    `POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":',
  );
  await expect.poll(inMetrics).toBe(1);
  expect(container.traffic().inFlight).toBe(1);
  call.destroy();
  await expect.poll(inMetrics).toBe(0);
  expect(nodeServer.running).toBe(1);
});
