"use client";

import { useTranslations } from "use-intl";
import type { SnoozeAlert } from "@/lib/contracts/console/alerts";
import { Button } from "../ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "../ui/dropdown-menu";

const DURATIONS = ["1h", "8h", "24h", "resolved"] as const satisfies readonly SnoozeAlert["for"][];

/** How long to snooze, as a menu; loaded on the click that opens it. */
export function SnoozeMenu({
  isBusy,
  isOpen,
  onOpenChange,
  onPick,
}: {
  isBusy: boolean;
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  onPick(duration: SnoozeAlert["for"]): void;
}) {
  const t = useTranslations("alerts.snooze");
  return (
    <DropdownMenu open={isOpen} onOpenChange={onOpenChange}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="sm" isBusy={isBusy}>
          {t("action")}
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {DURATIONS.map((duration) => (
          <DropdownMenuItem key={duration} onSelect={() => onPick(duration)}>
            {t(duration)}
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
