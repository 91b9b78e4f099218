import { useLocale } from "use-intl";

/** The space between two sentences of one paragraph: none in Chinese, whose full stop has its own. */
export function SentenceGap() {
  return useLocale() === "zh" ? null : " ";
}
