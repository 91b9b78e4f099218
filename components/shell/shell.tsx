"use client";

import { MenuIcon, SearchIcon } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { SWRConfig } from "swr";
import { useTranslations } from "use-intl";
import { useLiveUpdates } from "@/lib/client/live";
import { SWR_CONFIG } from "@/lib/client/swr-config";
import { leaveTo } from "@/lib/client/unsaved";
import { useErrorText } from "../forms/call-error";
import { Button } from "../ui/button";
import { Kbd } from "../ui/kbd";
import { toast } from "../ui/toast";
import { AccountButton } from "./account-button";
import type { ShellUser } from "./account-trigger";
import { LeaveGuard } from "./leave-guard";
import { Wordmark } from "./mark";
import { Navigation } from "./navigation";
import { pagesFor } from "./pages";
import { useShellKeys } from "./use-shell-keys";

const CommandPalette = dynamic(() => import("./command-palette").then((one) => one.CommandPalette), {
  ssr: false,
});
const ShortcutsDialog = dynamic(() => import("./shortcuts-dialog").then((one) => one.ShortcutsDialog), {
  ssr: false,
});
const PhoneMenu = dynamic(() => import("./phone-menu").then((one) => one.PhoneMenu), { ssr: false });

/** The layout of every console page: sidebar, command palette, live updates and leave guard. */
export function Shell({ user, children }: { user: ShellUser; children: ReactNode }) {
  const t = useTranslations("common");
  const errorText = useErrorText();
  const [palette, setPalette] = useState<"never" | "open" | "closed">("never");
  const [menu, setMenu] = useState<"never" | "open" | "closed">("never");
  const showError = (error: unknown) => toast.error(errorText(error).message);

  const [shortcuts, setShortcuts] = useState<"never" | "open" | "closed">("never");
  const router = useRouter();
  useShellKeys({
    togglePalette: () => setPalette((state) => (state === "open" ? "closed" : "open")),
    showShortcuts: () => setShortcuts("open"),
    goTo: (letter) => {
      const page = pagesFor(user.role).find((one) => one.letter === letter);
      if (page) leaveTo(page.path, (to) => router.push(to));
      return page !== undefined;
    },
  });

  const account = <AccountButton user={user} onError={showError} />;
  return (
    <SWRConfig value={SWR_CONFIG}>
      <LiveUpdates />
      <LeaveGuard />
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-4 py-2 text-on-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t("skipToContent")}
      </a>
      <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <Sidebar onPalette={setPalette} user={user} account={account} />
        <PhoneHeader onPalette={setPalette} onMenu={setMenu} />
        <main id="content" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none sm:px-6 lg:px-10 lg:py-8">
          {children}
        </main>
      </div>
      {palette !== "never" ? (
        <CommandPalette
          open={palette === "open"}
          onOpenChange={(open) => setPalette(open ? "open" : "closed")}
          onError={showError}
          onShowShortcuts={() => setShortcuts("open")}
          role={user.role}
        />
      ) : null}
      {shortcuts !== "never" ? (
        <ShortcutsDialog
          open={shortcuts === "open"}
          onOpenChange={(open) => setShortcuts(open ? "open" : "closed")}
          role={user.role}
        />
      ) : null}
      {menu !== "never" ? (
        <PhoneMenu
          open={menu === "open"}
          onOpenChange={(open) => setMenu(open ? "open" : "closed")}
          account={account}
          role={user.role}
        />
      ) : null}
    </SWRConfig>
  );
}

/** The bar above the page, on narrow screens. */
function PhoneHeader({ onPalette, onMenu }: { onPalette(state: "open"): void; onMenu(state: "open"): void }) {
  const t = useTranslations("common");
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-2 border-b bg-ground px-4 lg:hidden">
      <Link
        prefetch={false}
        href="/"
        className="rounded-md"
        aria-label={`${t("product")}: ${t("nav.overview")}`}
      >
        <Wordmark />
      </Link>
      <span className="flex">
        <Button variant="ghost" size="icon" aria-label={t("palette.open")} onClick={() => onPalette("open")}>
          <SearchIcon />
        </Button>
        <Button variant="ghost" size="icon" aria-label={t("nav.open")} onClick={() => onMenu("open")}>
          <MenuIcon />
        </Button>
      </span>
    </header>
  );
}

/** The navigation beside the page, on wide screens. */
function Sidebar({
  onPalette,
  user,
  account,
}: {
  onPalette(state: "open"): void;
  user: ShellUser;
  account: ReactNode;
}) {
  const t = useTranslations("common");
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-6 border-r bg-sunken/50 p-3 lg:flex">
      <Link
        prefetch={false}
        href="/"
        className="rounded-md px-2 pt-2"
        aria-label={`${t("product")}: ${t("nav.overview")}`}
      >
        <Wordmark />
      </Link>
      <button
        type="button"
        aria-label={t("palette.open")}
        onClick={() => onPalette("open")}
        className="flex h-9 items-center gap-2 rounded-md border bg-panel px-2.5 text-sm text-ink-muted transition-colors hover:bg-hover"
      >
        <SearchIcon aria-hidden="true" className="size-4 text-ink-faint" />
        <span className="flex-1 text-left">{t("palette.short")}</span>
        <Kbd aria-hidden="true">Ctrl K</Kbd>
      </button>
      <Navigation role={user.role} />
      <div className="mt-auto">{account}</div>
    </aside>
  );
}

/** Subscribes to live updates below SWRConfig, whose cache they refresh. */
function LiveUpdates() {
  useLiveUpdates();
  return null;
}
