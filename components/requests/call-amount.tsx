import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";

/**
 * Amount of a call: audio length, else tokens. `isAlone`: there is no column header, so the text says that a duration is
 * audio, not latency.
 */
export function CallAmount({ call, isAlone }: { call: UsageRow; isAlone?: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  if (call.audio_ms > 0) {
    const length = amounts.audio(call.audio_ms);
    return <>{isAlone ? t("audio", { length }) : length}</>;
  }
  return <>{amounts.tokens(call.input_tokens + call.output_tokens)}</>;
}
