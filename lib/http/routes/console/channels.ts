import { z } from "zod";
import { wavHeader } from "../../../audio/pcm";
import { requireAdmin } from "../../../console/access/guards";
import {
  allowUpstream,
  disallowUpstream,
  readAllowedUpstreams,
} from "../../../console/channels/allow-upstream";
import { createChannel } from "../../../console/channels/create";
import { listDraftModels, testDraft } from "../../../console/channels/draft";
import { countChannelAttempts, listChannelErrors } from "../../../console/channels/list-errors";
import { listUpstreamModels } from "../../../console/channels/list-upstream-models";
import {
  deleteChannel,
  getChannel,
  listChannels,
  listProviders,
  orderChannels,
} from "../../../console/channels/manage";
import { testChannel } from "../../../console/channels/test-channel";
import { closeCircuit, updateChannel } from "../../../console/channels/update";
import { OPTION_SHAPES } from "../../../contracts/console/channel-options";
import { MAX_CHANNEL_BYTES } from "../../../contracts/console/channels";
import { isRecord } from "../../../contracts/is-record";
import { SPEECH_SAMPLE_RATE } from "../../../ports/speech-model";
import { type Json, requestSchema } from "../../core/openapi/json-schema";
import { consoleRoute } from "../../core/route";

const OPTIONS = Object.entries(OPTION_SHAPES).map(([provider, shape]) => ({
  provider,
  options: requestSchema(z.strictObject(shape)),
}));

/** Adds the `options` of each provider. */
function withOptions(schema: Json): Json {
  return {
    ...schema,
    oneOf: OPTIONS.map(({ provider, options }) => ({
      properties: { provider: { const: provider }, options },
    })),
  };
}

/** Adds the `options` of all providers: the provider cannot change and is not in the body. */
function withAnyOptions(schema: Json): Json {
  const options = { anyOf: OPTIONS.map((one) => one.options) };
  return { ...schema, properties: { ...(isRecord(schema.properties) ? schema.properties : {}), options } };
}

function asWav(pcm: Uint8Array): Uint8Array {
  return Buffer.concat([wavHeader(SPEECH_SAMPLE_RATE, pcm.byteLength), pcm]);
}

export const CHANNELS_ROUTES = [
  consoleRoute("GET /api/channels", {
    auth: "adminOrManageKey",
    summary: "List channels by priority",
    handle: async (ctx, { query }) => ({ data: await listChannels(ctx, query) }),
  }),
  consoleRoute("GET /api/channels/attempts", {
    auth: "adminOrManageKey",
    summary: "Count failed attempts that another channel took over",
    handle: async (ctx, { query }) => ({ data: await countChannelAttempts(ctx, query) }),
  }),
  consoleRoute("POST /api/channels", {
    auth: "adminOrManageKey",
    maxBodyBytes: MAX_CHANNEL_BYTES,
    describeBody: withOptions,
    summary: "Add a channel to an upstream",
    handle: async (ctx, { body }) => ({ data: await createChannel(ctx, body) }),
  }),
  consoleRoute("GET /api/channels/{id}", {
    auth: "adminOrManageKey",
    summary: "Show a channel",
    handle: async (ctx, { params }) => ({ data: await getChannel(ctx, params.id) }),
  }),
  consoleRoute("GET /api/channels/{id}/errors", {
    auth: "adminOrManageKey",
    summary: "List the newest failed attempts on a channel, including those recovered by failover",
    handle: async (ctx, { params, query }) => ({
      data: await listChannelErrors(ctx, params.id, query),
    }),
  }),
  consoleRoute("PATCH /api/channels/{id}", {
    auth: "adminOrManageKey",
    maxBodyBytes: MAX_CHANNEL_BYTES,
    describeBody: withAnyOptions,
    summary: "Change a channel",
    handle: async (ctx, { params, body }) => ({ data: await updateChannel(ctx, params.id, body) }),
  }),
  consoleRoute("DELETE /api/channels/{id}", {
    auth: "adminOrManageKey",
    summary: "Remove a channel and its keys",
    handle: (ctx, { params }) => deleteChannel(ctx, params.id),
  }),
  consoleRoute("POST /api/channels/{id}/test", {
    auth: "adminOrManageKey",
    summary: "Test a channel with one real call for each key",
    handle: async (ctx, { params, body }) => ({ data: await testChannel(ctx, params.id, body, asWav) }),
  }),
  consoleRoute("POST /api/channels/{id}/models", {
    auth: "adminOrManageKey",
    summary: "List the models of a channel's upstream",
    handle: async (ctx, { params }) => ({ data: await listUpstreamModels(ctx, params.id) }),
  }),
  consoleRoute("POST /api/channels/{id}/close", {
    auth: "adminOrManageKey",
    summary: "Close the circuits of a channel, or of one of its keys",
    handle: async (ctx, { params, body }) => ({ data: await closeCircuit(ctx, params.id, body) }),
  }),
  consoleRoute("POST /api/channels/order", {
    auth: "adminOrManageKey",
    maxBodyBytes: MAX_CHANNEL_BYTES,
    summary: "Set the order in which channels are tried, for all of them at once",
    handle: async (ctx, { body }) => ({ data: await orderChannels(ctx, body) }),
  }),
  consoleRoute("POST /api/channels/draft/models", {
    auth: "adminOrManageKey",
    maxBodyBytes: MAX_CHANNEL_BYTES,
    describeBody: withOptions,
    summary: "List the models of an upstream before its channel is saved",
    handle: async (ctx, { body }) => ({ data: await listDraftModels(ctx, body) }),
  }),
  consoleRoute("POST /api/channels/draft/test", {
    auth: "adminOrManageKey",
    maxBodyBytes: MAX_CHANNEL_BYTES,
    describeBody: withOptions,
    summary: "Test an unsaved channel with one real call for each key",
    handle: async (ctx, { body }) => ({ data: await testDraft(ctx, body, asWav) }),
  }),
  consoleRoute("GET /api/providers", {
    auth: "adminOrManageKey",
    summary: "List the providers a channel can have",
    handle: async (ctx) => ({ data: listProviders(ctx) }),
  }),
  consoleRoute("GET /api/upstreams/allowed", {
    auth: "adminOrManageKey",
    summary: "List the private addresses that the owner has allowed as upstreams",
    async handle(ctx) {
      requireAdmin(ctx);
      return { data: { targets: await readAllowedUpstreams(ctx.store) } };
    },
  }),
  consoleRoute("POST /api/upstreams/allowed", {
    auth: "ownerSession",
    summary: "Allow one private host and port as an upstream, with the owner's password",
    handle: async (ctx, { body }) => ({ data: await allowUpstream(ctx, body) }),
  }),
  consoleRoute("DELETE /api/upstreams/allowed/{target}", {
    auth: "ownerSession",
    summary: "Remove an allowed private host and port",
    handle: (ctx, { params }) => disallowUpstream(ctx, params.target),
  }),
];
