import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { Money } from "../charts/money";
import { useAmounts } from "../charts/use-amounts";
import { useTokenText } from "./call-cells";

/** Everything recorded about a call. */
export function CallFacts({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const tokens = useTokenText();
  const named = (name: string | null, id: string) =>
    name ?? (
      <>
        <code>{id}</code> {t("detail.deleted")}
      </>
    );
  const notes = [
    ...(call.cached ? [t("detail.cached")] : []),
    ...(call.estimated ? [t("detail.estimated")] : []),
  ];
  const broke = call.status >= 400 && call.first_byte_ms !== null;
  const statusText = broke ? t("detail.broke", { status: String(call.status) }) : call.status || "—";
  const facts: [keyof FieldNames, ReactNode][] = [
    ["status", statusText],
    ["operation", t(`operation.${call.operation}`)],
    ["channel", call.channel_id === null ? t("noChannel") : named(call.channel_name, call.channel_id)],
    ["attempts", call.attempts],
    [
      "key",
      <>
        {named(call.key_name, call.key_id)} {call.key_display ? <code>{call.key_display}</code> : null}
      </>,
    ],
    ["user", named(call.user_name, call.user_id)],
    ["end_user", call.user],
    ["tags", call.tags?.split(",").join(", ") ?? null],
    ["latency", call.state === "open" ? null : amounts.ms(call.latency_ms)],
    ["first_byte", call.first_byte_ms === null ? null : amounts.ms(call.first_byte_ms)],
    [
      "input",
      t("detail.input", {
        tokens: tokens(call.input_tokens),
        number: call.characters,
        characters: amounts.count(call.characters),
      }),
    ],
    ["output", call.output_tokens > 0 ? tokens(call.output_tokens) : null],
    ["audio", call.audio_ms > 0 ? amounts.audio(call.audio_ms) : null],
    ["cost", <Money key="cost" usd={call.cost_usd} />],
    ["notes", notes.length > 0 ? notes.join(", ") : null],
    ["id", <code key="id">{call.id}</code>],
  ];
  return (
    <section className="grid gap-3">
      <h3 className="font-medium">{t("detail.facts")}</h3>
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-faint">{t(`detail.field.${name}`)}</dt>
              <dd className="tabular wrap-anywhere">{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

type FieldNames = typeof import("@/lib/messages/en/requests").requests.detail.field;
