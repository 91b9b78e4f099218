"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/console/user";
import { Sheet, SheetContent } from "../ui/sheet";
import { Wordmark } from "./mark";
import { Navigation } from "./navigation";

/** The sidebar on a phone. */
export function PhoneMenu({
  open,
  onOpenChange,
  account,
  role,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
  account: ReactNode;
  role: Role;
}) {
  const t = useTranslations("common.nav");
  return (
    <Sheet open={open} onOpenChange={onOpenChange}>
      <SheetContent side="left" title={t("label")} className="flex flex-col gap-6 p-4">
        <Wordmark />
        <Navigation role={role} onNavigate={() => onOpenChange(false)} />
        <div className="mt-auto">{account}</div>
      </SheetContent>
    </Sheet>
  );
}
