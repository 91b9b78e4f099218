import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import { collect } from "../outbound/body";
import { parseJson } from "../outbound/json";
import type { UpstreamRequest } from "../outbound/request";
import type { UpstreamSettings } from "./provider";

/** Limit of a list of models or voices. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

interface ListSource extends Pick<UpstreamRequest, "baseUrl" | "readRefusal" | "ca"> {
  headers(key: string | null): Readonly<Record<string, string>>;
}

/** The JSON of a list of models or voices. */
export async function readList(
  { client, decryptKey }: UpstreamSettings,
  channel: ChannelRecord,
  { headers, ...source }: ListSource,
  path: string,
  options: CallOptions,
): Promise<unknown> {
  const key = decryptKey(channel);
  const reply = await client.call({
    channel,
    method: "GET",
    path,
    ...source,
    headers: { accept: "application/json", ...headers(key) },
    maxBytes: MAX_LIST_BYTES,
    key,
    options,
  });
  return parseJson(await collect(reply.body));
}
