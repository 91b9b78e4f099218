/** Loaded into the server by NODE_OPTIONS: makes the faults that a test asks for by a signal. */
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("fault-by-rejection"));
});
process.on("SIGWINCH", () => {
  setImmediate(() => {
    throw new Error("fault-by-exception");
  });
});
