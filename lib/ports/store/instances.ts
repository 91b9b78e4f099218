/** What a running process reports about itself with each heartbeat. */
export interface InstanceReport {
  /** ID of its server: the same for all processes that share one port. */
  server: string;
  /** The machine's host name. */
  host: string;
  /** Where it listens: `192.0.2.7:3000`. */
  address: string;
  version: string;
  pid: number;
  startedAt: number;
  /** True after a stop signal. */
  isDraining: boolean;
  /** Requests being answered. */
  inFlight: number;
  /** Of the time since the previous heartbeat. */
  requestsPerMinute: number;
  /** CPU time over elapsed time, in percent of one core. */
  cpuPercent: number;
  /** Resident memory. */
  memoryBytes: number;
  /** Age of what it knows of other processes' changes (`Store.changeLagMs`). */
  changeLagMs: number;
}

/** A process that uses this store. */
export interface InstanceRecord {
  id: string;
  heartbeatAt: number;
  /** True for the process that reads the record. */
  isSelf: boolean;
  /** Null before its first report, and for admin commands, which send none. */
  report: InstanceReport | null;
}
