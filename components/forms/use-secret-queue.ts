import { useState } from "react";

/** Secrets that are each shown once: a new one waits until those before it are closed, so that none is lost. */
export function useSecretQueue<Secret>() {
  const [queue, setQueue] = useState<readonly Secret[]>([]);
  return {
    /** The secret to show. */
    secret: queue[0],
    addSecret: (secret: Secret) => setQueue((before) => [...before, secret]),
    /** Closes `secret`; the next one is shown. */
    closeSecret: () => setQueue(([, ...rest]) => rest),
  };
}
