"use client";

import { MenuIcon, SearchIcon } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { SWRConfig } from "swr";
import { useFormatter, useTranslations } from "use-intl";
import { isComposing } from "@/lib/client/is-composing";
import { hasLetterShortcuts, SEQUENCE_MS } from "@/lib/client/letter-shortcuts";
import { useLiveUpdates } from "@/lib/client/live";
import { clearOtherUsersData } from "@/lib/client/storage";
import { SWR_CONFIG } from "@/lib/client/swr-config";
import {
  answerLeavePrompt,
  leaveTo,
  useLeavePrompt,
  useUnsavedParts,
  watchNavigation,
} from "@/lib/client/unsaved";
import { useWindowEvent } from "@/lib/client/use-window-event";
import { signInPath } from "@/lib/contracts/return-path";
import { useErrorToast } from "../forms/use-action";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { Kbd } from "../ui/kbd";
import { focusContent } from "../ui/keep-focus";
import { lazyPart } from "../ui/lazy-part";
import { useOnDemand } from "../ui/use-on-demand";
import { AccountTrigger, type ShellUser } from "./account-trigger";
import { Wordmark } from "./mark";
import { Navigation } from "./navigation";
import { pagesFor } from "./pages";

const CommandPalette = lazyPart(() => import("./command-palette").then((one) => one.CommandPalette));
const ShortcutsDialog = lazyPart(() => import("./shortcuts-dialog").then((one) => one.ShortcutsDialog));
const PhoneMenu = lazyPart(() => import("./phone-menu").then((one) => one.PhoneMenu));

/** The layout of every console page: sidebar, command palette, live updates and leave guard. */
export function Shell({ user, children }: { user: ShellUser; children: ReactNode }) {
  // While rendering, so before the effects of a page, which may read its draft.
  useState(() => {
    if (typeof window !== "undefined") clearOtherUsersData(user.id);
  });
  const t = useTranslations("common");
  const showError = useErrorToast();
  const palette = useOverlay();
  const menu = useOverlay();
  const shortcuts = useOverlay();
  const router = useRouter();
  useShellKeys({
    togglePalette: palette.toggle,
    showShortcuts: shortcuts.open,
    goTo: (letter) => {
      const page = pagesFor(user.role).find((one) => one.letter === letter);
      if (page)
        leaveTo(page.path, (to) => {
          router.push(to);
          focusContent();
        });
      return page !== undefined;
    },
  });

  const account = <AccountButton user={user} onError={showError} />;
  return (
    <SWRConfig value={SWR_CONFIG}>
      <LiveUpdates userId={user.id} />
      <LeaveGuard />
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-4 py-2 text-on-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {t("skipToContent")}
      </a>
      <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <Sidebar onPalette={palette.open} user={user} account={account} />
        <PhoneHeader onPalette={palette.open} onMenu={menu.open} />
        <main id="content" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none sm:px-6 lg:px-10 lg:py-8">
          {children}
        </main>
      </div>
      {palette.state ? (
        <CommandPalette
          {...palette.state}
          onError={showError}
          onShowShortcuts={shortcuts.open}
          role={user.role}
        />
      ) : null}
      {shortcuts.state ? <ShortcutsDialog {...shortcuts.state} role={user.role} /> : null}
      {menu.state ? <PhoneMenu {...menu.state} account={account} role={user.role} /> : null}
    </SWRConfig>
  );
}

/** A dialog or sheet, which is rendered from its first opening on: its code is loaded then. */
function useOverlay() {
  const [isOpen, setOpen] = useState<boolean | null>(null);
  return {
    /** Null before the first opening. */
    state: isOpen === null ? null : { open: isOpen, onOpenChange: setOpen },
    open: () => setOpen(true),
    toggle: () => setOpen((before) => !before),
  };
}

/** The product's name, which leads to the overview. */
function HomeLink({ className }: { className?: string }) {
  const t = useTranslations("common");
  return (
    <Link
      prefetch={false}
      href="/"
      className={cn("rounded-md", className)}
      aria-label={`${t("product")}: ${t("nav.overview")}`}
    >
      <Wordmark />
    </Link>
  );
}

/** The bar above the page, on narrow screens. */
function PhoneHeader({ onPalette, onMenu }: { onPalette(): void; onMenu(): void }) {
  const t = useTranslations("common");
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-2 border-b bg-ground px-4 lg:hidden">
      <HomeLink />
      <span className="flex">
        <Button variant="ghost" size="icon" aria-label={t("palette.open")} onClick={onPalette}>
          <SearchIcon />
        </Button>
        <Button variant="ghost" size="icon" aria-label={t("nav.open")} onClick={onMenu}>
          <MenuIcon />
        </Button>
      </span>
    </header>
  );
}

/** The navigation beside the page, on wide screens. */
function Sidebar({ onPalette, user, account }: { onPalette(): void; user: ShellUser; account: ReactNode }) {
  const t = useTranslations("common");
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-6 border-r bg-sunken/50 p-3 lg:flex">
      <HomeLink className="px-2 pt-2" />
      <button
        type="button"
        aria-label={t("palette.open")}
        onClick={onPalette}
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
function LiveUpdates({ userId }: { userId: string }) {
  useLiveUpdates(userId);
  return null;
}

const loadMenu = () => import("./account-menu").then((one) => one.AccountMenu);

/** The account menu's button; loads the menu when it is first opened. */
function AccountButton(props: { user: ShellUser; onError(error: unknown): void }) {
  const { Loaded, trigger } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return <AccountTrigger user={props.user} aria-haspopup="menu" {...trigger} />;
}

const loadConfirmDialog = () => import("../forms/confirm-dialog").then((one) => one.ConfirmDialog);
const ConfirmDialog = lazyPart(loadConfirmDialog);

/**
 * Asks for confirmation before a page with unsaved changes is left or, for another user, reloaded. When the session of
 * such a page has ended, asks the user to sign in in another tab.
 */
function LeaveGuard() {
  const t = useTranslations("common.leave");
  const format = useFormatter();
  const router = useRouter();
  const question = useLeavePrompt();
  const isNeeded = useUnsavedParts().size > 0;
  useEffect(() => watchNavigation((path) => router.push(path)), [router]);
  useEffect(() => {
    // Loaded as soon as there are unsaved changes: it must open even when the server is unreachable.
    if (isNeeded) loadConfirmDialog().catch(() => undefined);
  }, [isNeeded]);
  if (!question) return null;
  const names = format.list(question.names);
  if (question.go === null)
    return (
      <ConfirmDialog
        title={t("ended.title")}
        text={t("ended.text", { names })}
        action={t("ended.signIn")}
        cancel={t("stay")}
        isDanger={false}
        onConfirm={async () => {
          window.open(signInPath("/", true), "_blank", "noopener");
          answerLeavePrompt(false);
        }}
        onClose={() => answerLeavePrompt(false)}
      />
    );
  return (
    <ConfirmDialog
      title={t(question.isForOtherUser ? "otherUser.title" : "title")}
      text={t(question.isForOtherUser ? "otherUser.text" : "text", { names })}
      action={t(question.isForOtherUser ? "otherUser.discard" : "leave")}
      cancel={t("stay")}
      onConfirm={async () => answerLeavePrompt(true)}
      onClose={() => answerLeavePrompt(false)}
    />
  );
}

const TAKES_TEXT =
  'textarea, select, [contenteditable], [role="combobox"], input:not([type="checkbox"], [type="radio"])';
const HANDLES_KEYS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

interface ShellKeys {
  togglePalette(): void;
  showShortcuts(): void;
  /** `letter`: the key pressed after `g`; returns false when no page has it. */
  goTo(letter: string): boolean;
}

/**
 * The console's keys: Ctrl- or Cmd-K toggles the palette; `?` lists the shortcuts and `g` with a letter opens a page,
 * unless they are turned off, or the focused element takes text or is in a dialog or menu, which handle their own keys.
 */
function useShellKeys(keys: ShellKeys): void {
  const sequenceEnds = useRef(0);
  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event) || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "k") {
      event.preventDefault();
      keys.togglePalette();
      return;
    }
    const target = event.target instanceof Element ? event.target : null;
    if (isCommand || event.repeat || target?.closest(`${TAKES_TEXT}, ${HANDLES_KEYS}`)) return;
    if (!hasLetterShortcuts()) return;
    const isSecond = event.timeStamp < sequenceEnds.current;
    sequenceEnds.current = 0;
    if (isSecond && keys.goTo(event.key)) event.preventDefault();
    else if (event.key === "g") sequenceEnds.current = event.timeStamp + SEQUENCE_MS;
    else if (event.key === "?") {
      event.preventDefault();
      keys.showShortcuts();
    }
  });
}
