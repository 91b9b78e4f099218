import { z } from "zod";
import { LiveTopic } from "../contracts/console/live";
import { type Broadcast, MAX_MESSAGE_BYTES } from "../ports/shared-state";

/** Live events of one process. */
interface EventBus {
  /** Delivers an event of another instance to the pages of this one. */
  receive(topic: LiveTopic, userId?: string | null): void;
  /** Events of this process only. */
  subscribe(listener: (topic: LiveTopic, userId: string | null) => void): () => void;
}

/** Events are collected for this long, so that a busy instance sends four messages a second. */
const BATCH_MS = 250;
/** Above this many users in one batch the topic is reported for all users. */
const MAX_USERS = 200;

const Batch = z.object({
  from: z.string(),
  events: z.array(z.object({ topic: LiveTopic, users: z.array(z.string()).nullable() })),
});

/** Sends the events of this instance to all others, and theirs to its pages. */
export function shareEvents(broadcast: Broadcast, bus: EventBus, instanceId: string): void {
  /** Users by topic; null: all. */
  let pending = new Map<LiveTopic, Set<string> | null>();
  let isPlanned = false;

  function flush(): void {
    isPlanned = false;
    const events = [...pending].map(([topic, users]) => ({
      topic,
      users: users === null ? null : [...users],
    }));
    pending = new Map();
    const message = JSON.stringify({ from: instanceId, events });
    if (Buffer.byteLength(message) <= MAX_MESSAGE_BYTES) {
      broadcast.send(message);
      return;
    }
    const topics = events.map(({ topic }) => ({ topic, users: null }));
    broadcast.send(JSON.stringify({ from: instanceId, events: topics }));
  }

  bus.subscribe((topic, userId) => {
    const users = pending.get(topic);
    if (users !== null) {
      const known = users ?? new Set<string>();
      if (userId !== null) known.add(userId);
      pending.set(topic, userId === null || known.size > MAX_USERS ? null : known);
    }
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(flush, BATCH_MS).unref();
  });

  broadcast.listen((message) => {
    const batch = Batch.safeParse(JSON.parse(message));
    if (!batch.success || batch.data.from === instanceId) return;
    for (const { topic, users } of batch.data.events) {
      if (users === null) bus.receive(topic);
      else for (const userId of users) bus.receive(topic, userId);
    }
  });
}
