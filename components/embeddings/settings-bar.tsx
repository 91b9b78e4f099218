"use client";

import { Grid3x3Icon, SquareIcon } from "lucide-react";
import { useId } from "react";
import { useTranslations } from "use-intl";
import type { EncodingFormat } from "@/lib/client/embeddings-call";
import type { GatewayModel } from "@/lib/client/gateway-models";
import { useRunButton } from "../playground/use-run-button";
import { Button } from "../ui/button";
import { Input, Label, NativeSelect, SelectOptions } from "../ui/input";
import { Kbd } from "../ui/kbd";
import { SegmentedControl } from "../ui/segmented-control";
import { hasFixedLength } from "./draft";
import type { EmbeddingsPlaygroundState } from "./use-embeddings-playground";

/** Suggested numbers of dimensions. */
const DIMENSIONS = [1_536, 1_024, 768, 512, 256, 128, 64] as const;

interface SettingsProps {
  models: readonly GatewayModel[];
  page: EmbeddingsPlaygroundState;
}

/** Settings of the call, and the button that starts it. */
export function SettingsBar(props: SettingsProps) {
  const { draft, change } = props.page;
  const t = useTranslations("embeddings");
  return (
    <section
      aria-label={t("settings.label")}
      className="flex flex-wrap items-end gap-x-4 gap-y-3 rounded-md border bg-panel p-3"
    >
      <ModelField {...props} />
      <DimensionsField page={props.page} />
      <div className="grid gap-1.5">
        <span className="text-sm font-medium">{t("settings.format")}</span>
        <SegmentedControl<EncodingFormat>
          label={t("settings.format")}
          value={draft.format}
          onValueChange={(format) => change({ format })}
          segments={[
            { value: "float", label: t("settings.float") },
            { value: "base64", label: t("settings.base64") },
          ]}
          className="h-9 pointer-coarse:h-auto"
        />
      </div>
      <EmbedButton page={props.page} />
    </section>
  );
}

function EmbedButton({ page: { isRunning, start, stop, draft } }: Pick<SettingsProps, "page">) {
  const t = useTranslations("embeddings");
  const handlers = useRunButton({ isRunning, start, stop });
  return (
    <div className="flex flex-1 justify-end max-sm:w-full max-sm:flex-none">
      {isRunning ? (
        <Button variant="outline" {...handlers} className="max-sm:w-full">
          <SquareIcon />
          {t("stop")}
        </Button>
      ) : (
        <Button variant="signal" {...handlers} disabled={draft.texts.length === 0} className="max-sm:w-full">
          <Grid3x3Icon />
          {t("embed", { count: draft.texts.length })}
          <Kbd
            aria-hidden="true"
            className="ml-1 hidden border-on-signal/30 bg-transparent text-on-signal lg:inline-flex"
          >
            {t("embedKeys")}
          </Kbd>
        </Button>
      )}
    </div>
  );
}

/** The model; a link may have set one that is not in the list. */
function ModelField({ models, page: { model, draft, change } }: SettingsProps) {
  const t = useTranslations("embeddings");
  const id = useId();
  const name = draft.model || (model?.name ?? "");
  return (
    <div className="grid min-w-48 flex-1 gap-1.5 sm:max-w-72">
      <Label htmlFor={id}>{t("settings.model")}</Label>
      <NativeSelect id={id} value={name} onChange={(event) => change({ model: event.target.value })}>
        <SelectOptions of={models.map((one) => [one.name, one.name])} selected={name} />
      </NativeSelect>
    </div>
  );
}

/** The number of dimensions, where the model can shorten its vectors. */
function DimensionsField({ page: { model, draft, change } }: Pick<SettingsProps, "page">) {
  const t = useTranslations("embeddings");
  const id = useId();
  const own = model?.dimensions ?? null;
  const isFixed = hasFixedLength(model);
  return (
    <div className="grid w-36 gap-1.5">
      <Label htmlFor={id}>{t("settings.dimensions")}</Label>
      <Input
        id={id}
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        list={`${id}-suggestions`}
        disabled={isFixed}
        title={isFixed ? t("settings.dimensionsFixed") : undefined}
        value={isFixed ? "" : (draft.dimensions ?? "")}
        placeholder={
          own === null ? t("settings.dimensionsOwn") : t("settings.dimensionsAll", { count: String(own) })
        }
        onChange={(event) => {
          const typed = Math.trunc(Number(event.target.value));
          change({ dimensions: event.target.value === "" || typed < 1 ? null : typed });
        }}
      />
      <datalist id={`${id}-suggestions`}>
        {DIMENSIONS.filter((count) => own === null || count < own).map((count) => (
          <option key={count} value={count} />
        ))}
      </datalist>
    </div>
  );
}
