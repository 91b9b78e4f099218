"use client";

import { useFormatter, useTranslations } from "use-intl";
import { fieldName } from "@/components/audit/audit-detail";
import type { AuditRow } from "@/lib/contracts/console/audit";
import type { Catalogue } from "@/lib/messages/catalogue";
import { useAmounts } from "../charts/use-amounts";

type ActionKey = keyof Catalogue["audit"]["action"];
type ActionOnKey = keyof Catalogue["audit"]["actionOn"];
/** In fields that end in `_at`, numbers from this one on are Unix times in milliseconds. */
const MIN_TIMESTAMP_MS = 1e12;
const NANO = 1e9;

/** Texts of audit rows in the page's language; actions without a translation are shown as stored. */
export function useAuditText() {
  const t = useTranslations("audit");
  const shownValue = useShownValue();

  /** The action; `hasTarget`: the target's name follows. */
  function actionOf({ action }: AuditRow, hasTarget: boolean): string {
    // Checked by `has`.
    const key = action.replace(".", "_") as ActionKey;
    const keyOn = key as ActionOnKey;
    if (hasTarget && t.has(`actionOn.${keyOn}`)) return t(`actionOn.${keyOn}`);
    return t.has(`action.${key}`) ? t(`action.${key}`) : action;
  }

  function actorOf({ actor, actor_name: name }: AuditRow): string {
    if (name !== null) return name;
    switch (actor) {
      case "system":
        return t("filter.system");
      case "admin-command":
        return t("filter.adminCommand");
      case "anonymous":
        return t("filter.anonymous");
      default:
        return actor;
    }
  }

  return {
    actionOf,
    actorOf,
    shownValue,
    targetOf: (row: AuditRow) => row.target_name ?? row.target,
    fieldOf: fieldName,
  };
}

/** Display text of a field's value. */
function useShownValue(): (field: string, value: unknown) => string {
  const t = useTranslations("audit.row");
  const format = useFormatter();
  const amounts = useAmounts();

  function numberOf(field: string, value: number): string {
    if (/(?:_at|At)$/.test(field) && value >= MIN_TIMESTAMP_MS)
      return format.dateTime(new Date(value), {
        dateStyle: "medium",
        timeStyle: "short",
        hourCycle: "h23",
        numberingSystem: "latn",
      });
    if (/Nano$|^prices\./.test(field)) return amounts.exactMoney(value / NANO);
    return amounts.decimal(value, 9);
  }

  return (field, value) => {
    if (value === null || value === undefined) return t("none");
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    if (typeof value === "number") return numberOf(field, value);
    if (typeof value === "string") return value === "" ? t("empty") : value;
    if (Array.isArray(value) && value.length === 0) return t("empty");
    if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
    return JSON.stringify(value);
  };
}
