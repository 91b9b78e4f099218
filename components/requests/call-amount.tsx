import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";

/**
 * What a call was about, in its own measure: seconds of sound, else tokens. `isAlone`: no column's head says that it is
 * not the time taken.
 */
export function CallAmount({ call, isAlone }: { call: UsageRow; isAlone?: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  if (call.audio_ms > 0) {
    const length = amounts.audio(call.audio_ms);
    return <>{isAlone ? t("sound", { length }) : length}</>;
  }
  return <>{amounts.tokens(call.input_tokens + call.output_tokens)}</>;
}
