/**
 * Loaded into a server by NODE_OPTIONS, or into the store's writer alone: what the file named by PATCHBAY_TEST_STORE
 * holds is done to every transaction. A number: the pages that the database may have. `die`: the thread ends right
 * after the commit, before anyone hears of it.
 */
import { existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import Database from "libsql";

const { exec } = Database.prototype;

function fault() {
  const file = process.env.PATCHBAY_TEST_STORE ?? "";
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

Database.prototype.exec = function (sql) {
  if (sql === "begin immediate") {
    const pages = Number(fault());
    if (pages > 0) exec.call(this, `pragma max_page_count = ${pages}`);
  }
  const result = exec.call(this, sql);
  if (sql === "commit" && !isMainThread && fault() === "die") process.exit(1);
  return result;
};
