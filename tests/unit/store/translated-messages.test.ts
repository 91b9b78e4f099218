import { createServer } from "node:net";
import { DatabaseError } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isReported, translated } from "../../../lib/store/errors";
import { SILENT } from "../../../lib/store/options";
import { LeasePool, ServerLiveness } from "../../../lib/store/postgres/lease-pool";

/** A PostgreSQL server whose lc_messages is not English translates the severity too. */

const sent = (severity: string, code: string): DatabaseError =>
  Object.assign(new DatabaseError("сообщение", 0, "error"), { severity, code });

test.each([
  ["ERROR", "23505", true],
  ["ОШИБКА", "23505", true],
  ["错误", "42601", true],
  ["错误", "XX001", true],
  ["FEHLER", "57P03", false],
  ["ВАЖНО", "57P01", false],
  ["致命错误", "25P04", false],
  ["FATAL", "55000", false],
])("%s %s: only the statement has failed: %s", (severity, code, expected) => {
  expect(isReported(sent(severity, code))).toBe(expected);
});

test("a connection that is ended by an error in another language counts as unavailable", () => {
  expect(translated(sent("致命错误", "25P04"))).toMatchObject({ code: "storage_unavailable" });
  expect(translated(sent("错误", "42601"))).toMatchObject({ code: "42601" });
});

test("a connection refused in another language counts as unavailable", async () => {
  const fields = ["SВАЖНО", "VFATAL", "C55000", "Mбаза данных не принимает подключения"];
  const body = Buffer.from(`${fields.join("\0")}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(4 + body.length, 1);
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(Buffer.concat([head, body])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const pool = new LeasePool(`postgres://patchbay@127.0.0.1:${port}/patchbay`, {
    max: 1,
    statement: { silentMs: 1_000, maxMs: 1_000 },
    liveness: new ServerLiveness(),
    log: SILENT,
  });
  onTestFinished(() => pool.end());
  await expect(pool.connect()).rejects.toMatchObject({ code: "storage_unavailable" });
});
