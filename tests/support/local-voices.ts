import { DEFAULT_LIMITS } from "../../lib/contracts/limits";
import { createLocalVoices, type LocalVoicesSettings } from "../../lib/providers/local-voices/create";
import { createUpstreamClient } from "../../lib/providers/outbound/create";
import { workerFile } from "../../lib/server/process/workers";
import { SYSTEM_CLOCK } from "./factories";

/** The provider of the voices in `directory`; `allowed`: private hosts that downloads may reach. */
export function openLocalVoices(
  directory: string,
  { allowed = [], ...settings }: Partial<LocalVoicesSettings> & { allowed?: readonly string[] } = {},
) {
  return createLocalVoices({
    directory,
    workerFile: workerFile("voice"),
    unpackWorker: workerFile("unpack"),
    client: createUpstreamClient({ clock: SYSTEM_CLOCK, limits: DEFAULT_LIMITS, allowed: () => allowed }),
    mirror: null,
    clock: SYSTEM_CLOCK,
    callMs: () => 600_000,
    ...settings,
  });
}
