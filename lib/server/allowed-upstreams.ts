import { readAllowedUpstreams } from "../domain/channels/allow-upstream";
import type { Store } from "../ports/store";

/**
 * The upstreams that private addresses and plain http are allowed for: those of the environment and the owner's own
 * list, which is read again after each change of it.
 */
export async function followAllowedUpstreams(
  store: Pick<Store, "settings" | "onChange">,
  ofEnvironment: readonly string[],
): Promise<() => readonly string[]> {
  const read = async () => [...ofEnvironment, ...(await readAllowedUpstreams(store))];
  let current: readonly string[] = await read();
  store.onChange((topics) => {
    if (!topics.has("settings")) return;
    read().then(
      (next) => {
        current = next;
      },
      // The store is away: what was allowed last goes on.
      () => undefined,
    );
  });
  return () => current;
}
