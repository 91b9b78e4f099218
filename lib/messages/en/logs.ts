export const logs = {
  title: "Logs",
  lead: "Every call that reached a channel, newest first. What was refused before, by key, limits or budget, is told to its caller alone.",
  chart: "Calls over time",
  succeeded: "Succeeded",
  failed: "Failed",
  onlyFailed: "Failed calls",
  all: "All calls",
  show: "Which calls",
  zoom: "Press a bar to look at its time alone.",
};
