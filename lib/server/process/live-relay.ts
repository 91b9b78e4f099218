import type { LiveBus } from "../../gateway/live-bus";
import type { ClusterMember } from "./cluster-member";
import type { LiveChange } from "./cluster-messages";

/** Changes are collected for this long, so that a busy process sends a few messages a second. */
const COLLECT_MS = 200;
/** Users named in one message; above it, the message is for all users. */
const MOST_USERS = 100;

type Relay = Pick<ClusterMember, "publish" | "handlers">;

/** Publishes the live changes of each process in the other processes of its server, too. */
export function relayLive(live: LiveBus, { publish, handlers }: Relay): void {
  let pending = new Map<string, LiveChange>();
  let isDue = false;

  const send = (): void => {
    isDue = false;
    const changes = [...pending.values()];
    pending = new Map();
    const topics = [...new Set(changes.map(({ topic }) => topic))];
    publish(changes.length > MOST_USERS ? topics.map((topic) => ({ topic, userId: null })) : changes);
  };
  live.subscribe((topic, userId) => {
    pending.set(`${topic} ${userId ?? ""}`, { topic, userId });
    if (isDue) return;
    isDue = true;
    setTimeout(send, COLLECT_MS).unref();
  });
  handlers.live = (changes) => {
    for (const { topic, userId } of changes) live.receive(topic, userId);
  };
}
