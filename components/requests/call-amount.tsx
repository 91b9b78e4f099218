import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";

/** Amount of a call: audio length, else tokens. `isUnlabelled`: no column header says that a duration is audio. */
export function CallAmount({ call, isUnlabelled }: { call: UsageRow; isUnlabelled?: boolean }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  if (call.audio_ms > 0) {
    const length = amounts.audio(call.audio_ms);
    return <>{isUnlabelled ? t("audio", { length }) : length}</>;
  }
  return <>{amounts.tokens(call.input_tokens + call.output_tokens)}</>;
}
