import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";

/** How long tests wait for a server they start. Machines of the CI are at times four times as slow as usual. */
export const READY_MS = 60_000;

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });

/** Waits until the process accepts connections on a loopback port; throws with its output when it does not. */
export async function untilAccepts(port: number, child: ChildProcess, printed: () => string): Promise<void> {
  const giveUpAt = performance.now() + READY_MS;
  while (performance.now() < giveUpAt && child.exitCode === null) {
    if (await accepts(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill("SIGKILL");
  throw new Error(`${child.spawnfile} did not get ready:\n${printed()}`);
}
