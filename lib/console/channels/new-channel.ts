import type { ChannelRecord } from "../../ports/store";

/** The record of a new channel. */
export function newChannel(
  own: Pick<ChannelRecord, "id" | "name" | "provider"> & Partial<ChannelRecord>,
  now: number,
): ChannelRecord {
  return {
    baseUrl: null,
    keys: [],
    models: [],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: null,
    timeouts: {},
    headers: {},
    options: {},
    enabled: true,
    embedded: false,
    createdAt: now,
    version: 1,
    ...own,
  };
}
