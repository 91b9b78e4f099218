import useSWR from "swr";
import type { AllowedUpstreams } from "../../lib/contracts/console/channels";
import type { InstanceFacts, VersionedSettings } from "../../lib/contracts/console/settings";

export const SETTINGS_PATH = "/api/settings";
export const FACTS_PATH = "/api/settings/instance";
export const UPSTREAMS_PATH = "/api/upstreams/allowed";

/** The settings of the instance. */
export const useSettings = () => useSWR<VersionedSettings>(SETTINGS_PATH);
/** Facts of the instance: environment, defaults, cache statistics. */
export const useFacts = () => useSWR<InstanceFacts>(FACTS_PATH);
/** The private upstreams the owner has allowed. */
export const useAllowedUpstreams = () => useSWR<AllowedUpstreams>(UPSTREAMS_PATH);
