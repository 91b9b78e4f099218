import Link from "next/link";
import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import { StatusDot } from "../ui/badge";

/** The number of rejected requests of a range, with a link to their list. */
export function RejectedLink({
  calls,
  href,
  className,
}: {
  calls: number;
  href: string;
  className?: string;
}) {
  const t = useTranslations("requests.rejected");
  const amounts = useAmounts();
  return (
    <p className={className}>
      <span className="flex flex-wrap items-center gap-x-2 text-sm text-ink-muted">
        <StatusDot tone="warn" />
        <span className="tabular">{t("link", { number: calls, count: amounts.count(calls) })}</span>
        <Link
          prefetch={false}
          href={href}
          className="rounded-sm text-ink underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {t("view")}
        </Link>
      </span>
    </p>
  );
}
