import type { ChannelTimeouts } from "../../contracts/console/channels";
import type { ChannelRecord } from "../../ports/store";

/** The contract's timeouts in the stored form; absent ones stay absent. */
export function readTimeouts(sent: ChannelTimeouts): ChannelRecord["timeouts"] {
  return {
    ...(sent.connect_ms === undefined ? {} : { connectMs: sent.connect_ms }),
    ...(sent.first_byte_ms === undefined ? {} : { firstByteMs: sent.first_byte_ms }),
    ...(sent.idle_ms === undefined ? {} : { idleMs: sent.idle_ms }),
    ...(sent.total_ms === undefined ? {} : { totalMs: sent.total_ms }),
  };
}
