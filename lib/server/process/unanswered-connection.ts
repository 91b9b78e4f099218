import type { ChildProcess } from "node:child_process";

/** Node's own messages between the primary and a process (its lib/internal/cluster). */
interface ClusterMessage {
  /** From the primary: `newconn` gives a connection. */
  act?: string;
  /** To the primary: the answer to `newconn`. A process that stops does not accept it, and another one gets it. */
  accepted?: boolean;
}

/**
 * Closes the connection that a process was given and had not answered when it was killed: Node forgets it
 * (`handoff` in its lib/internal/cluster/round_robin_handle.js), so its caller would wait forever. A process is given
 * one connection at a time.
 */
export function closeUnanswered(child: Pick<ChildProcess, "send" | "prependListener" | "once">): void {
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean;
  let given: { close(): void } | null = null;
  child.send = (...sent: unknown[]) => {
    // Type assertion: Node's messages have the form above.
    const [message, handle] = sent as [ClusterMessage, { close(): void } | undefined];
    if (message.act === "newconn" && handle !== undefined) given = handle;
    return send(...sent);
  };
  // Before Node's listener, which may give the connection to another process.
  child.prependListener("internalMessage", ({ accepted }: ClusterMessage) => {
    if (accepted !== undefined) given = null;
  });
  const close = (): void => given?.close();
  child.once("exit", close);
  // Also at `disconnect`, which may follow `exit`: until then Node may give the process another connection.
  child.once("disconnect", close);
}
