import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy to a server on loopback that can be blocked: connections stay open, and no data passes. */
export interface TcpGate {
  port: number;
  /** Forwards new connections to another server; open connections keep theirs. */
  connectTo(port: number): void;
  /** Stops passing data, like an unplugged cable. */
  block(): void;
  /** Passes held and new data again. */
  reopen(): void;
  /**
   * Until `reopen`: bytes to the server that contain `word` close the client's connection without an answer. The server
   * gets them immediately, or only by `deliver`, long after the client has given up.
   */
  loseAnswersTo(word: string, when?: "at once" | "late"): void;
  /** Sends the bytes that `loseAnswersTo` held back. */
  deliver(): void;
  /** Number of connections that `loseAnswersTo` has closed. */
  readonly lost: number;
  close(): Promise<void>;
}

export async function openTcpGate(targetPort: number): Promise<TcpGate> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let isStopped = false;
  let target = targetPort;
  let losing: { word: string; isLate: boolean } | null = null;
  let lost = 0;
  const held: (() => void)[] = [];
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    const lose = (chunk: Buffer, isLate: boolean): void => {
      lost += 1;
      // The server's answer, which is not passed on, shows that it has processed the bytes: only then both sides close.
      far.removeAllListeners("data").removeAllListeners("close");
      near.removeAllListeners("close");
      const send = (): void => {
        far.once("data", end);
        far.write(chunk);
      };
      if (isLate) {
        held.push(send);
        near.destroy();
      } else {
        send();
      }
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk: Buffer) => {
        if (from === near && losing !== null && chunk.includes(losing.word))
          return lose(chunk, losing.isLate);
        to.write(chunk);
      });
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
    connectTo(port) {
      target = port;
    },
    block() {
      isStopped = true;
      each((socket) => socket.pause());
    },
    loseAnswersTo(word, when = "at once") {
      losing = { word, isLate: when === "late" };
    },
    deliver() {
      for (const send of held.splice(0)) send();
    },
    get lost() {
      return lost;
    },
    reopen() {
      isStopped = false;
      losing = null;
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
