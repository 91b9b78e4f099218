/** Loaded into the server by NODE_OPTIONS: throws the errors that a test requests by signal. */
process.on("SIGUSR2", () => {
  void Promise.reject(new Error("fault-by-rejection"));
});
process.on("SIGWINCH", () => {
  setImmediate(() => {
    throw new Error("fault-by-exception");
  });
});
