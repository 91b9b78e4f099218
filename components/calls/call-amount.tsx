import type { UsageRow } from "@/lib/contracts/usage";
import { useAmounts } from "./use-amounts";

/** What a call was about, in its own measure: seconds of sound, else tokens. */
export function CallAmount({ call }: { call: UsageRow }) {
  const amounts = useAmounts();
  if (call.audio_ms > 0) return <>{amounts.sound(call.audio_ms)}</>;
  return <>{amounts.tokens(call.input_tokens + call.output_tokens)}</>;
}
