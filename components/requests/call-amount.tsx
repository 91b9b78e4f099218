import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";

/** Amount of a call: audio length, else tokens. `isUnlabelled`: no column header says that a duration is audio. */
export function CallAmount({ call, isUnlabelled }: { call: UsageRow; isUnlabelled?: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const tokens = useTokenText();
  if (call.audio_ms > 0) {
    const length = amounts.audio(call.audio_ms);
    return <>{isUnlabelled ? t("audio", { length }) : length}</>;
  }
  return <>{tokens(call.input_tokens + call.output_tokens)}</>;
}

/** Formats a number of tokens: `1,204 tokens`. */
export function useTokenText(): (tokens: number) => string {
  const t = useTranslations("requests");
  const { count } = useAmounts();
  return (tokens) => t("tokens", { number: tokens, count: count(tokens) });
}
