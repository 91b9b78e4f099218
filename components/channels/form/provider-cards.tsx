"use client";

import { useFormatter, useTranslations } from "use-intl";
import { type Preset, presetsOf } from "@/components/channels/channel-draft";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { Provider } from "@/lib/contracts/console/channels";
import { CallError } from "../../forms/call-error";
import { cn } from "../../ui/class-names";
import { Skeleton } from "../../ui/skeleton";
import { ProviderMark } from "../provider-mark";

/** In display order, so that the cards do not move when the list has loaded. */
const KNOWN = ["compatible", "openai", "gemini", "elevenlabs", "azure"] as const;

/** The presets of a new channel, most common first. */
export function ProviderCards({
  picked,
  onPick,
}: {
  picked: Preset | null;
  onPick(preset: Preset, provider: Provider, name: string): void;
}) {
  const t = useTranslations("channels");
  const format = useFormatter();
  const { data, error, mutate } = useApi(api.listProviders, {}, { revalidateOnFocus: false });
  if (error && !data) return <CallError error={error} onRetry={() => void mutate()} />;
  return (
    <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3" aria-busy={data === undefined}>
      {data === undefined
        ? KNOWN.map((name) => (
            <li key={name}>
              <Skeleton className="h-17 rounded-md" />
            </li>
          ))
        : presetsOf(data.items).map(({ preset, provider }) => {
            const known = KNOWN.find((one) => one === preset);
            const name = known ? t(`provider.${known}`) : preset;
            const text = known
              ? t(`form.providerText.${known}`)
              : format.list(
                  provider.operations.map((one) => t(`form.${one}`)),
                  { type: "unit" },
                );
            return (
              <li key={preset} className="grid">
                <button
                  type="button"
                  aria-pressed={picked === preset}
                  onClick={() => onPick(preset, provider, known === "compatible" ? "" : name)}
                  className={cn(
                    "flex h-17 items-center gap-3 rounded-md border bg-panel px-4 text-left transition-colors hover:border-line-strong",
                    picked === preset && "border-ink bg-sunken",
                  )}
                >
                  <ProviderMark provider={preset} className="size-6 text-ink-muted" />
                  <span className="grid min-w-0">
                    <span className="font-medium">{name}</span>
                    <span className="truncate text-sm text-ink-muted">{text}</span>
                  </span>
                </button>
              </li>
            );
          })}
    </ul>
  );
}
