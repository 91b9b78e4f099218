import { spawn } from "node:child_process";
import { createReadStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { Kysely } from "kysely";
import Database from "libsql";
import type { Settings } from "../../ports/store";
import { StartError } from "../errors";
import { MIGRATIONS } from "../migrations";
import { readSettings } from "../repositories/settings";
import type { Tables } from "../schema";
import { Connection } from "../sqlite/connection";
import { readDialect } from "../sqlite/dialect";

/** The tables that are read from a dump. */
const READ = ["schema_version", "audit", "audit_head", "settings"] as const;
/** The first bytes of a dump in `pg_dump --format=custom`. The other supported formats are folders and SQL text. */
const CUSTOM_FORMAT_MAGIC = "PGDMP";
const END_OF_ROWS = "\\.";
const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

export interface Dump {
  /** The schema version of the dumped store. */
  version: number;
  /** Its audit log and settings, in memory; no other table has rows. */
  db: Kysely<Tables>;
  settings: Pick<Settings, "all">;
  close(): Promise<void>;
}

/** True for a dump in `pg_dump --format=plain`. */
export async function isSqlText(file: string): Promise<boolean> {
  if (statSync(file).isDirectory()) return false;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(CUSTOM_FORMAT_MAGIC.length),
      0,
      CUSTOM_FORMAT_MAGIC.length,
      0,
    );
    return buffer.toString("latin1", 0, bytesRead) !== CUSTOM_FORMAT_MAGIC;
  } finally {
    await handle.close();
  }
}

/** Lines of UTF-8 text; a line ends with LF only, because CR and others may be part of a row. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}

/** The dump as SQL text. Throws StartError when `pg_restore` is missing, or cannot read the file. */
async function* sqlOf(file: string): AsyncGenerator<string> {
  if (await isSqlText(file)) {
    yield* linesOf(createReadStream(file));
    return;
  }
  const child = spawn(
    "pg_restore",
    ["--data-only", ...READ.map((name) => `--table=${name}`), "--file=-", file],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => {
    words += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // Awaited after the last line; until then a failure only ends the output.
  ended.catch(() => undefined);
  yield* linesOf(child.stdout);
  const code = await ended.catch((cause: unknown) => {
    throw new StartError("pg_restore was not found: install PostgreSQL's client programs.", { cause });
  });
  if (code !== 0) throw new StartError(`${file} cannot be read (${words.trim().split("\n")[0] ?? ""}).`);
}

/** One cell in the text format of COPY. */
function cellOf(text: string): string | null {
  if (text === "\\N") return null;
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}

/** A database in memory with the tables of a store, which accepts any audit row. */
function emptyStore(): Connection {
  const connection = new Connection(new Database(":memory:"));
  for (const migration of MIGRATIONS)
    for (const statement of migration("sqlite"))
      if (!statement.startsWith("create trigger")) connection.exec(statement);
  connection.exec("create table schema_version (id bigint primary key, version bigint not null)");
  return connection;
}

async function loadRows(connection: Connection, file: string): Promise<void> {
  let insert: string | null = null;
  for await (const line of sqlOf(file)) {
    if (line === END_OF_ROWS) insert = null;
    else if (insert !== null) connection.cells(insert, line.split("\t").map(cellOf));
    else {
      const [, name, columns = ""] = /^COPY (?:\w+\.)?(\w+) \(([\w, ]+)\) FROM stdin;$/.exec(line) ?? [];
      if (READ.some((one) => one === name))
        insert = `insert into ${name} (${columns}) values (${columns.replace(/\w+/g, "?")})`;
    }
  }
}

/**
 * Reads the audit log and the settings of a store that `pg_dump` has written to a file or folder. Throws StartError
 * when it holds no store.
 */
export async function openDump(file: string): Promise<Dump> {
  const connection = emptyStore();
  try {
    await loadRows(connection, file);
    const [row] = connection.cells("select version from schema_version", []);
    if (row === undefined)
      throw new StartError(
        `${file} is not a dump of a Patchbay store. Make one with: pg_dump --format=custom --file=<file> <DATABASE_URL>`,
      );
    const db = new Kysely<Tables>({ dialect: readDialect(connection) });
    return {
      version: Number(row[0]),
      db,
      settings: readSettings(db),
      async close() {
        await db.destroy();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
