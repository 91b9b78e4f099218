import { existsSync } from "node:fs";
import { readSettings } from "../../console/access/read-settings";
import type { ActorContext } from "../../console/audit/record";
import { userNameKey } from "../../console/auth/user-name-key";
import { DEAD_AFTER_MS } from "../../console/instances/list";
import type { Cipher } from "../../ports/cipher";
import type { Clock, Random } from "../../ports/clock";
import type { PasswordHasher } from "../../ports/password-hasher";
import type { Store, UserRecord } from "../../ports/store";
import { fileOf, isPostgresUrl } from "../../store/options";
import { readInstances } from "../../store/sqlite/inspect-file";
import { openEncryptedStore } from "../process/encrypted-store";
import { type Environment, storeVariable } from "../process/env";
import { isAlive, isGone, makeInstanceId } from "../process/instance-id";
import { createPasswordHasher } from "../process/password-hasher";
import { systemClock, systemRandom } from "../process/system";
import { CommandError } from "./command";

/** The context of an admin command: the server's store, opened with or without a running server. */
export interface AdminContext extends ActorContext {
  store: Store;
  cipher: Cipher;
  hasher: PasswordHasher;
  clock: Clock;
  random: Random;
  instance: { passwordMinimum: number };
}

/** Throws CommandError when there is no SQLite file: the command would create an empty store and succeed on it. */
function requireStore(env: Environment): void {
  if (isPostgresUrl(env.databaseUrl) || existsSync(fileOf(env.databaseUrl))) return;
  throw new CommandError(
    `${storeVariable(env)}: there is no store at ${fileOf(env.databaseUrl)}. Correct the variable, or create the store: start the server, or run 'setup'.`,
  );
}

/** Opens the store, runs `work` on it and closes it. Throws CommandError when the store must exist and does not. */
export async function withStore<T>(env: Environment, work: (admin: AdminContext) => Promise<T>): Promise<T> {
  requireStore(env);
  return withNewStore(env, work);
}

/** As `withStore`, but creates a store that does not exist. */
export async function withNewStore<T>(
  env: Environment,
  work: (admin: AdminContext) => Promise<T>,
): Promise<T> {
  const { store, cipher } = await openEncryptedStore(env, makeInstanceId());
  try {
    const { password_minimum: minimum } = await readSettings(store);
    return await work({
      store,
      cipher,
      hasher: createPasswordHasher(),
      clock: systemClock,
      random: systemRandom,
      instance: { passwordMinimum: Math.max(env.passwordMinimum, minimum ?? 0) },
      caller: { kind: "admin-command" },
      peer: { address: null, isLocal: true, isSecure: false },
      requestId: "admin-command",
    });
  } finally {
    await store.close();
  }
}

/** The user with this name or e-mail address. Throws CommandError. */
export async function findUser(store: Store, name: string): Promise<UserRecord> {
  const user = await store.users.findByNameOrEmail(userNameKey(name));
  if (user === null) throw new CommandError(`User '${name}' not found.`);
  return user;
}

/** IDs of the servers that run on the same store now. */
export async function runningServers(store: Store, now: number): Promise<string[]> {
  const known = await store.ledger.instances(now - DEAD_AFTER_MS);
  return known.filter(({ id, isSelf }) => !isSelf && !isGone(id)).map(({ id }) => id);
}

/**
 * IDs of the servers that run on a SQLite file now; the file is not changed. A server whose disk is full cannot write
 * heartbeats, so a server with an old heartbeat counts while its process runs on this machine.
 */
export function serversOn(file: string): string[] {
  const since = systemClock.now() - DEAD_AFTER_MS;
  const servers = readInstances(file).filter(({ id, heartbeat_at }) =>
    heartbeat_at >= since ? !isGone(id) : isAlive(id),
  );
  return servers.map(({ id }) => id);
}
