import { ChevronLeftIcon } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "use-intl";

export function BackToChannels() {
  const t = useTranslations("channels.detail");
  return (
    <Link
      href="/channels"
      className="mb-3 -ml-1 inline-flex items-center gap-1 rounded-sm pr-1 text-sm text-ink-muted hover:text-ink pointer-coarse:py-2"
    >
      <ChevronLeftIcon aria-hidden="true" className="size-4" />
      {t("back")}
    </Link>
  );
}
