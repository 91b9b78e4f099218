export const logs = {
  title: "Logs",
  lead: "Every call as it comes in, newest first.",
  chart: "Calls over time",
  succeeded: "Succeeded",
  failed: "Failed",
  onlyFailed: "Failed calls",
  all: "All calls",
  show: "Which calls",
  zoom: "Press a bar to look at its time alone.",
};
