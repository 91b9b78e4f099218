"use client";

import { type ReactNode, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { hasLetterShortcuts, setLetterShortcuts } from "@/lib/client/letter-shortcuts";
import type { Role } from "@/lib/contracts/console/user";
import { Dialog, DialogContent, DialogDescription, DialogTitle, focusSelf } from "../ui/dialog";
import { Label } from "../ui/input";
import { Kbd } from "../ui/kbd";
import { Switch } from "../ui/switch";
import { pagesFor } from "./pages";

/**
 * Lists the keyboard shortcuts of the console: those that open pages, and those that work on one page only. A switch
 * turns the shortcuts of one character off.
 */
export function ShortcutsDialog({
  open,
  onOpenChange,
  role,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
  role: Role;
}) {
  const t = useTranslations("common");
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent
        className="max-w-xl"
        // Not its switch, which the next key press could change.
        onOpenAutoFocus={focusSelf}
      >
        <div className="grid gap-1.5 pr-8">
          <DialogTitle>{t("shortcuts.title")}</DialogTitle>
          <DialogDescription>{t("shortcuts.text")}</DialogDescription>
        </div>
        <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
          <Shortcuts title={t("shortcuts.pages")}>
            {pagesFor(role).map((page) => (
              <Shortcut key={page.path} name={t(`nav.${page.name}`)} keys={["g", page.letter]} />
            ))}
          </Shortcuts>
          <div className="grid content-start gap-6">
            <Shortcuts title={t("shortcuts.everywhere")}>
              <Shortcut name={t("palette.open")} keys={["Ctrl", "K"]} />
              <Shortcut name={t("shortcuts.title")} keys={["?"]} />
              <Shortcut name={t("shortcuts.close")} keys={["Esc"]} />
            </Shortcuts>
            <Shortcuts title={t("nav.try")}>
              <Shortcut name={t("shortcuts.run")} keys={["Ctrl", "Enter"]} />
              <Shortcut name={t("shortcuts.playPause")} keys={[t("shortcuts.space")]} />
              <Shortcut name={t("shortcuts.stop")} keys={["Esc"]} />
            </Shortcuts>
            <Shortcuts title={t("nav.logs")}>
              <Shortcut name={t("shortcuts.nextCall")} keys={["j"]} />
              <Shortcut name={t("shortcuts.previousCall")} keys={["k"]} />
            </Shortcuts>
          </div>
        </div>
        <LetterShortcutsSwitch />
      </DialogContent>
    </Dialog>
  );
}

function LetterShortcutsSwitch() {
  const id = useId();
  const t = useTranslations("common.shortcuts");
  // The dialog is rendered in the browser only.
  const [isOn, setOn] = useState(hasLetterShortcuts);
  return (
    <div className="flex items-start justify-between gap-4 border-t pt-4">
      <div className="grid gap-0.5">
        <Label htmlFor={id}>{t("letters")}</Label>
        <p id={`${id}-hint`} className="text-sm text-ink-muted">
          {t("lettersHint")}
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        checked={isOn}
        onCheckedChange={(next) => {
          setLetterShortcuts(next);
          setOn(next);
        }}
      />
    </div>
  );
}

function Shortcuts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid content-start gap-2">
      <h3 className="text-sm text-ink-muted">{title}</h3>
      <dl className="grid gap-1.5">{children}</dl>
    </section>
  );
}

function Shortcut({ name, keys }: { name: string; keys: readonly string[] }) {
  return (
    <div className="flex min-h-6 items-center justify-between gap-4">
      <dt>{name}</dt>
      <dd className="flex shrink-0 gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dd>
    </div>
  );
}
