"use client";

import { XIcon } from "lucide-react";
import { memo, useId } from "react";
import { useTranslations } from "use-intl";
import type { ModelRow as Row } from "@/components/channels/channel-draft";
import type { ModelOperation } from "@/lib/contracts/console/channels";
import { Button } from "../../ui/button";
import { Checkbox } from "../../ui/checkbox";
import { cn } from "../../ui/class-names";
import { Input, NativeSelect, SelectOptions } from "../../ui/input";
import { leaveRow } from "../../ui/leave-row";
import { TestOutcome } from "../test-outcome";
import type { TestState } from "../use-test-call";

interface ModelRowProps {
  row: Row;
  /** Position among the rows, from 1. */
  number: number;
  error: string | undefined;
  /** Other channels that serve the public name, with commas between them. */
  sharedWith: string;
  test: TestState | undefined;
  onChange(id: string, patch: Partial<Row>): void;
  onRemove(id: string): void;
  onTest(row: Row): void;
}

interface RowPartProps extends ModelRowProps {
  /** Prefix of the row's element IDs. */
  id: string;
  /** Names the model: its upstream name, else its position. */
  label: string;
}

/** Repeated from the contract, to keep its zod schemas out of this bundle. */
const OPERATIONS: readonly ModelOperation[] = ["speech", "embeddings"];

const COLUMNS =
  "grid-cols-[auto_minmax(0,1fr)_auto] md:grid-cols-[auto_minmax(0,1fr)_minmax(0,1fr)_9rem_auto]";

/** One upstream model: whether it is served, its public name, its operation, and a test button. */
export const ModelRow = memo(function ModelRow(props: ModelRowProps) {
  const { row, number, test, onChange, onRemove } = props;
  const t = useTranslations("channels.form");
  const id = useId();
  const label = row.upstream || String(number);
  const partProps = { ...props, id, label };
  return (
    <li className={cn("grid gap-x-3 gap-y-2 px-3 py-2", !row.isOn && "text-ink-muted")}>
      <div className={cn("grid items-center gap-x-3 gap-y-2", COLUMNS)}>
        {row.isManual ? (
          <Button
            variant="ghost"
            size="icon-sm"
            className="-ml-2"
            aria-label={t("removeModel", { name: label })}
            onClick={(event) => {
              const item = event.currentTarget.closest("li");
              leaveRow(item, "button", document.getElementById("content"));
              onRemove(row.id);
            }}
          >
            <XIcon />
          </Button>
        ) : (
          <Checkbox
            id={`${id}-on`}
            checked={row.isOn}
            onCheckedChange={(checked) => onChange(row.id, { isOn: checked === true })}
            aria-label={t("serve", { name: label })}
          />
        )}
        <UpstreamName {...partProps} />
        {row.isOn ? <ServedModel {...partProps} /> : null}
        {/* Below the public name it refers to; on narrow screens directly after it. */}
        <NameNote {...partProps} />
      </div>
      {row.isOn && test ? <TestOutcome state={test} className="pl-7" /> : null}
    </li>
  );
});

function UpstreamName({ row, number, onChange, id }: RowPartProps) {
  const t = useTranslations("channels.form");
  return row.isManual ? (
    <Input
      aria-label={t("upstreamNameOf", { number })}
      placeholder={t("upstreamName")}
      value={row.upstream}
      onChange={({ target: { value } }) =>
        onChange(row.id, { upstream: value, ...(row.name === row.upstream ? { name: value } : {}) })
      }
      className="font-mono"
      autoComplete="off"
      spellCheck={false}
    />
  ) : (
    <label htmlFor={`${id}-on`} className="min-w-0 py-1 font-mono text-sm break-all">
      {row.upstream}
    </label>
  );
}

/** The public name and the operation of a served model, and the button that tests it. */
function ServedModel({ label, error, id, row, onChange, test, onTest }: RowPartProps) {
  const t = useTranslations("channels.form");
  return (
    <>
      <Input
        aria-label={t("publicNameOf", { name: label })}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        value={row.name}
        onChange={(event) => onChange(row.id, { name: event.target.value })}
        className="order-1 col-span-2 col-start-2 font-mono md:order-none md:col-span-1 md:col-start-auto"
        autoComplete="off"
        spellCheck={false}
      />
      <span className="order-2 col-span-2 col-start-2 md:order-none md:col-span-1 md:col-start-auto">
        <NativeSelect
          aria-label={t("operationOf", { name: label })}
          value={row.operation ?? ""}
          onChange={({ target: { value } }) =>
            onChange(row.id, { operation: OPERATIONS.find((one) => one === value) ?? null })
          }
        >
          {row.operation === null ? <option value="">{t("chooseOperation")}</option> : null}
          <SelectOptions of={OPERATIONS.map((one) => [one, t(one)])} />
        </NativeSelect>
      </span>
      <Button
        variant="outline"
        size="sm"
        aria-label={t("testOf", { name: label })}
        isBusy={test?.kind === "running"}
        disabled={row.operation === null || row.upstream.trim() === ""}
        onClick={() => onTest(row)}
      >
        {t("test")}
      </Button>
    </>
  );
}

/** What is wrong with the public name, or which channels share it. */
function NameNote({ id, error, row, sharedWith }: RowPartProps) {
  const t = useTranslations("channels.form");
  return (
    <p
      id={`${id}-note`}
      className={cn(
        "order-1 col-span-2 col-start-2 text-sm md:order-none md:col-span-3 md:col-start-3",
        !error && !(row.isOn && sharedWith) && "hidden",
      )}
    >
      {error ? (
        <span role="alert" className="text-bad">
          {error}
        </span>
      ) : null}
      {!error && row.isOn && sharedWith ? (
        <span className="text-ink-muted">{t("shared", { channels: sharedWith })}</span>
      ) : null}
    </p>
  );
}
