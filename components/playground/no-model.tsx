"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/console/user";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";

/** Shown instead of a playground while no enabled channel serves a model for it. */
export function NoModel({ role, icon }: { role: Role; icon?: ReactNode }) {
  const t = useTranslations("playground.noModel");
  return (
    <EmptyState
      icon={icon}
      title={t("title")}
      action={
        role === "member" ? null : (
          <Button asChild>
            <Link prefetch={false} href="/channels/new">
              {t("action")}
            </Link>
          </Button>
        )
      }
    >
      {t("text", { role })}
    </EmptyState>
  );
}
