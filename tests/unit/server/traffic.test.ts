import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createContainer } from "../../../lib/server/process/container";
import { readEnvironment } from "../../../lib/server/process/env";
import { createNodeServer, portOf } from "../../../lib/server/process/node-server";

test("an instance reports the rate of gateway requests, without those of the console", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "patchbay-traffic-"));
  const container = await createContainer(
    readEnvironment({ PATCHBAY_DATA_DIR: directory, PATCHBAY_LOG_LEVEL: "silent" }),
  );
  const { server } = createNodeServer(container, container.services.log);
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
    await container.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const before = container.traffic().total;
  for (const url of ["/v1/models", "/v1beta/models", "/api/status", "/api/status", "/metrics", "/"])
    await (await fetch(`http://127.0.0.1:${portOf(server)}${url}`)).text();
  expect(container.traffic().total - before).toBe(2);
});
