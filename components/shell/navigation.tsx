"use client";

import Link, { useLinkStatus } from "next/link";
import { usePathname } from "next/navigation";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { Spinner } from "../ui/spinner";
import { PAGES } from "./pages";

/** The list of places; the lit one is where the visitor is. */
export function Navigation({ onNavigate }: { onNavigate?(): void }) {
  const t = useTranslations("common.nav");
  const path = usePathname();
  return (
    <nav aria-label={t("label")}>
      <ul className="grid gap-0.5">
        {PAGES.map((page) => {
          const isHere = page.path === "/" ? path === "/" : path.startsWith(page.path);
          return (
            <li key={page.path}>
              <Link
                href={page.path}
                onClick={onNavigate}
                aria-current={isHere ? "page" : undefined}
                className={cn(
                  "relative flex h-9 items-center gap-3 rounded-md px-3 text-base text-ink-muted transition-colors hover:bg-hover hover:text-ink pointer-coarse:h-11",
                  isHere && "bg-hover font-medium text-ink",
                )}
              >
                <page.icon
                  aria-hidden="true"
                  className={cn("size-4 shrink-0", isHere ? "text-signal-ink" : "text-ink-faint")}
                />
                {t(page.name)}
                <Pending />
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** Shows after a moment that the page is on its way. */
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
