"use client";

import Link, { useLinkStatus } from "next/link";
import { usePathname, useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { useApi } from "@/lib/client/use-api";
import type { Role } from "@/lib/contracts/console/user";
import { Badge } from "../ui/badge";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/progress";
import { type ConsolePage, GROUPS, pagesFor } from "./pages";

/** The links of the sidebar, with the current page marked. */
export function Navigation({ role, onNavigate }: { role: Role; onNavigate?(): void }) {
  const t = useTranslations("common.nav");
  const path = usePathname();
  const pages = pagesFor(role);
  return (
    <nav aria-label={t("label")} className="-mx-1 grid min-h-0 content-start gap-4 overflow-y-auto px-1">
      {GROUPS.map((group) => {
        const groupPages = pages.filter((page) => page.group === group);
        if (groupPages.length === 0) return null;
        const isNamed = group !== "top" && group !== "bottom";
        return (
          <div key={group} className="grid gap-0.5">
            {isNamed ? <p className="px-3 pb-1 text-xs text-ink-faint">{t(group)}</p> : null}
            <ul className="grid gap-0.5">
              {groupPages.map((page) => (
                <NavigationItem
                  key={page.path}
                  page={page}
                  isCurrent={page.path === "/" ? path === "/" : path.startsWith(page.path)}
                  onNavigate={onNavigate}
                />
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function NavigationItem({
  page,
  isCurrent,
  onNavigate,
}: {
  page: ConsolePage;
  isCurrent: boolean;
  onNavigate: (() => void) | undefined;
}) {
  const t = useTranslations("common.nav");
  const router = useRouter();
  // Prefetched on hover or focus only: prefetching every link would render a dozen pages per visit.
  const prefetch = () => router.prefetch(page.path);
  return (
    <li>
      <Link
        href={page.path}
        prefetch={false}
        onPointerEnter={prefetch}
        onFocus={prefetch}
        onClick={onNavigate}
        aria-current={isCurrent ? "page" : undefined}
        className={cn(
          "relative flex h-8 items-center gap-3 rounded-md px-3 text-base text-ink-muted transition-colors hover:bg-hover hover:text-ink pointer-coarse:h-11",
          isCurrent && "bg-hover font-medium text-ink",
        )}
      >
        <page.icon
          aria-hidden="true"
          className={cn("size-4 shrink-0", isCurrent ? "text-signal-ink" : "text-ink-faint")}
        />
        {t(page.name)}
        {page.name === "alerts" ? <AlertCount /> : null}
        <Pending />
      </Link>
    </li>
  );
}

/** A spinner if the page takes more than a moment to load. */
function Pending() {
  const { pending } = useLinkStatus();
  return (
    <span
      aria-hidden="true"
      className={cn("ml-auto opacity-0 transition-opacity", pending && "opacity-100 delay-200")}
    >
      {pending ? <Spinner className="size-3.5 text-ink-faint" /> : null}
    </span>
  );
}

/** The number of alerts that no one has acknowledged. */
function AlertCount() {
  const t = useTranslations("common.nav");
  const { data } = useApi(api.summarizeAlerts, {}, { refreshInterval: 60_000 });
  if (!data || data.unseen === 0) return null;
  return (
    <Badge tone="bad" className="tabular">
      <span className="sr-only">{t("unseen")} </span>
      {data.unseen > 99 ? "99+" : data.unseen}
    </Badge>
  );
}
