/**
 * Loaded into a server by NODE_OPTIONS, or only into the store's writer: the content of the file named by
 * PATCHBAY_TEST_STORE controls every transaction. A number: the most pages that the database may have. `die`: the thread
 * exits right after the commit, before it is acknowledged.
 */
import { existsSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import Database from "libsql";

const { exec } = Database.prototype;

function injectedFailure() {
  const file = process.env.PATCHBAY_TEST_STORE ?? "";
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

Database.prototype.exec = function (sql) {
  if (sql === "begin immediate") {
    const pages = Number(injectedFailure());
    if (pages > 0) exec.call(this, `pragma max_page_count = ${pages}`);
  }
  const result = exec.call(this, sql);
  if (sql === "commit" && !isMainThread && injectedFailure() === "die") process.exit(1);
  return result;
};
