import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { UsageRow } from "@/lib/contracts/console/usage";
import { useAmounts } from "../charts/use-amounts";
import { outcomeOf } from "./call-state";

/** Opens the drawer of a call by a URL that can be shared; its click area covers the whole row. */
export function CallLink({ call, children }: { call: UsageRow; children: ReactNode }) {
  const t = useTranslations("requests");
  const amounts = useAmounts();
  const query = new URLSearchParams(useSearchParams());
  query.set("call", call.id);
  const outcome = call.error ?? t(`state.${outcomeOf(call)}`);
  return (
    <Link
      href={`?${query}`}
      scroll={false}
      prefetch={false}
      aria-label={t("open", { outcome, model: call.model, time: amounts.stamp(call.at) })}
      className="after:absolute after:inset-0"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        // Changes the URL only: the page is already loaded.
        event.preventDefault();
        window.history.pushState(null, "", `?${query}`);
      }}
    >
      {children}
    </Link>
  );
}
