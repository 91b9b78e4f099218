import { connect, createServer, type Socket } from "node:net";

/** A way to a server on loopback that can be stopped up: connections stand, and nothing passes. */
export interface TcpGate {
  port: number;
  /** From now on nothing is passed on or answered, as when a cable is pulled. */
  stopUp(): void;
  /** Lets what stands and what comes pass again. */
  reopen(): void;
  close(): Promise<void>;
}

export async function openTcpGate(targetPort: number): Promise<TcpGate> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let isStopped = false;
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", end);
      from.on("close", end);
      if (isStopped) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const each = (act: (socket: Socket) => void): void => {
    for (const { near, far } of pairs) {
      act(near);
      act(far);
    }
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stopUp() {
      isStopped = true;
      each((socket) => socket.pause());
    },
    reopen() {
      isStopped = false;
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
