import { UPSTREAM_PROVIDER_NAMES, type UpstreamProviderName } from "../contracts/console/channels";
import { DEFAULT_LIMITS, type Limits } from "../contracts/limits";
import { AppError, hasCode } from "../errors";
import type { ChannelDraft, ChannelProviders, ProviderFacts } from "../ports/channel-probe";
import { channelKeyAad } from "../ports/channel-probe";
import type { Cipher } from "../ports/cipher";
import type { Clock } from "../ports/clock";
import type { ChannelKey, ChannelRecord } from "../ports/store";
import type { Webhook } from "../ports/webhook";
import { createElevenLabs } from "./elevenlabs/create";
import { createGemini } from "./gemini/create";
import { createOpenAi } from "./openai/create";
import { createUpstreamClient } from "./outbound/create";
import { failureOf } from "./outbound/failure";
import { checkHeaders } from "./outbound/headers";
import type { Lookup } from "./outbound/resolver";
import { allowableTarget, readUpstreamUrl } from "./outbound/upstream-url";
import type { UpstreamProvider, UpstreamSettings } from "./upstream/provider";
import { createWebhook } from "./webhook";

/** Dependencies of calls that leave this machine. */
export interface UpstreamsSettings {
  /** Decrypts the channels' keys (purpose `upstream-key`, AAD `channelKeyAad`). */
  cipher: Cipher;
  /** Absent: DEFAULT_LIMITS of the contracts. */
  limits?: Limits;
  /** `PATCHBAY_UPSTREAM_ALLOW` and the owner's own list, together; read at every call. */
  allowedUpstreams(): readonly string[];
  /**
   * `PATCHBAY_WEBHOOK_ALLOW`: private hosts that the webhook may reach. The hosts allowed for channels do not count.
   */
  allowedWebhooks: readonly string[];
  /** For tests: resolves names to addresses. */
  lookup?: Lookup;
}

type CreateProvider = (settings: UpstreamSettings) => UpstreamProvider;

/** Every upstream provider by the name that channels have. */
const CREATE_PROVIDER: Readonly<Record<string, CreateProvider>> = {
  gemini: createGemini,
  openai: createOpenAi,
  elevenlabs: createElevenLabs,
} satisfies Record<UpstreamProviderName, CreateProvider>;

export interface Upstreams extends ChannelProviders {
  /** Null for a name that is not an upstream provider. */
  provider(name: string): UpstreamProvider | null;
  webhook: Webhook;
  close(): Promise<void>;
}

/**
 * The providers that call out, all through one guarded client; the webhook has another with its own allow-list.
 * `embedded` are the providers that do not call out.
 */
export function createUpstreams(
  clock: Clock,
  settings: UpstreamsSettings,
  embedded: readonly ProviderFacts[],
): Upstreams {
  const { limits = DEFAULT_LIMITS, lookup } = settings;
  const client = createUpstreamClient({ clock, limits, allowed: () => settings.allowedUpstreams(), lookup });
  const webhookClient = createUpstreamClient({
    clock,
    limits,
    allowed: () => settings.allowedWebhooks,
    lookup,
  });
  const decryptKey = createUpstreamKeyReader(settings.cipher);
  const made = new Map<string, UpstreamProvider>();

  function provider(name: string): UpstreamProvider | null {
    const make = Object.hasOwn(CREATE_PROVIDER, name) ? CREATE_PROVIDER[name] : undefined;
    if (make === undefined) return null;
    const known = made.get(name) ?? make({ client, clock, limits, decryptKey });
    made.set(name, known);
    return known;
  }

  return {
    provider,
    webhook: createWebhook(webhookClient, clock),
    providers: () => [
      ...UPSTREAM_PROVIDER_NAMES.flatMap((name) => {
        const known = provider(name);
        if (known === null) return [];
        const { operations, defaultBaseUrl } = known;
        return [{ name, operations, defaultBaseUrl, isUpstream: true }];
      }),
      ...embedded,
    ],
    probe: (channel) => provider(channel.provider)?.probe(channel) ?? null,
    checkChannel(draft) {
      const known = provider(draft.provider);
      if (known !== null)
        return checkDraft(known, draft, (url) => readUpstreamUrl(url, client.allowList()).href);
      if (embedded.some(({ name }) => name === draft.provider)) return draft;
      throw unknownProvider([...UPSTREAM_PROVIDER_NAMES, ...embedded.map(({ name }) => name)]);
    },
    targetOf: allowableTarget,
    failureOf,
    async close() {
      await Promise.all([client.close(), webhookClient.close()]);
    },
  };
}

function unknownProvider(known: readonly string[]): AppError {
  const message = `must be one of ${known.join(", ")}`;
  return new AppError("invalid", `'provider' ${message}.`, { issues: [{ path: "provider", message }] });
}

function checkDraft(
  provider: UpstreamProvider,
  { baseUrl, headers, options, ...rest }: ChannelDraft,
  canonical: (url: string) => string,
): ChannelDraft {
  return {
    ...rest,
    // The final slash of a URL without a path has no meaning.
    baseUrl: baseUrl === null ? null : canonical(baseUrl).replace(/\/$/, ""),
    headers: checkHeaders(headers),
    options: provider.checkOptions(options),
  };
}

/** The error of a channel whose key this process cannot decrypt: another channel, or another key, may serve the call. */
function unreadableKey(cause: unknown): AppError {
  const message = "The channel's upstream key cannot be decrypted with this server's secrets.";
  return new AppError("upstream_error", message, { upstreamRefusal: "credentials" }, cause);
}

/**
 * Decrypted keys, cached by their stored record: decrypting one takes longer than the rest of this code does per call.
 */
function createUpstreamKeyReader(cipher: Cipher): (channel: ChannelRecord) => string | null {
  const opened = new WeakMap<ChannelKey, string>();
  return (channel) => {
    const [key] = channel.keys;
    if (key === undefined) return null;
    const known = opened.get(key);
    if (known !== undefined) return known;
    try {
      const plain = cipher.decrypt("upstream-key", channelKeyAad(channel.id, key.id), key.encrypted);
      opened.set(key, plain);
      return plain;
    } catch (error) {
      throw hasCode(error, "internal") ? unreadableKey(error) : error;
    }
  };
}
