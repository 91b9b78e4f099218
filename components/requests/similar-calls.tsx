import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { useTranslations } from "use-intl";
import { type CallFilter, withFilter } from "@/lib/client/calls";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { Button } from "../ui/button";

/** Links that filter for calls with the same error, model, key or request ID. */
export function SimilarCalls({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests.detail");
  const path = usePathname();
  const searchParams = useSearchParams();
  const links: [string, CallFilter, string | null][] = [
    [t("sameError"), "status", call.error],
    [t("sameModel"), "model", call.model],
    [t("sameKey"), "key_id", call.key_id],
    [t("sameRequest"), "request_id", call.request_id],
  ];
  return (
    <section className="grid gap-2">
      <h3 className="font-medium">{t("similar")}</h3>
      <span className="flex flex-wrap gap-2">
        {links.map(([label, name, value]) =>
          value === null ? null : (
            <Button key={name} asChild variant="outline" size="sm">
              <Link
                href={`${path}${withFilter(new URLSearchParams(searchParams), name, value)}`}
                prefetch={false}
              >
                {label}
              </Link>
            </Button>
          ),
        )}
      </span>
    </section>
  );
}
