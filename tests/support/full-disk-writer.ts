/**
 * The store's writer on a disk that can be full: the file named by PATCHBAY_TEST_PAGES holds how many pages the
 * database may have, and is read again before every transaction.
 */
import { existsSync, readFileSync } from "node:fs";
import Database from "libsql";

const { exec } = Database.prototype;
Database.prototype.exec = function (sql: string) {
  const file = process.env.PATCHBAY_TEST_PAGES ?? "";
  if (sql === "begin immediate" && existsSync(file)) {
    exec.call(this, `pragma max_page_count = ${Number(readFileSync(file, "utf8"))}`);
  }
  return exec.call(this, sql);
};

await import("../../lib/store/sqlite/writer.worker");
