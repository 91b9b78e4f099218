"use client";

import { useFormatter, useTranslations } from "use-intl";
import { fieldName } from "@/components/audit/audit-detail";
import { usd } from "@/components/audit/audit-money";
import type { AuditRow } from "@/lib/contracts/console/audit";
import type { Catalogue } from "@/lib/messages/catalogue";

type Word = keyof Catalogue["audit"]["action"];
type WordOn = keyof Catalogue["audit"]["actionOn"];
/** Numbers from here on under a name that ends in `_at` are instants. */
const FIRST_INSTANT = 1e12;

/** The words of audit rows in the page's language; what has none is told as it stands in the log. */
export function useAuditWords() {
  const t = useTranslations("audit");
  const format = useFormatter();

  /** What was done; `isNamed`: the name of whom it was done to follows. */
  function actionOf({ action }: AuditRow, isNamed: boolean): string {
    // `has` tells whether it is one.
    const word = action.replace(".", "_") as Word;
    const on = word as WordOn;
    if (isNamed && t.has(`actionOn.${on}`)) return t(`actionOn.${on}`);
    return t.has(`action.${word}`) ? t(`action.${word}`) : action;
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

  function shownValue(field: string, value: unknown): string {
    if (value === null || value === undefined) return t("row.none");
    if (typeof value === "boolean") return t(value ? "row.yes" : "row.no");
    if (typeof value === "number") return numberOf(field, value);
    if (typeof value === "string") return value === "" ? t("row.empty") : value;
    if (Array.isArray(value) && value.length === 0) return t("row.empty");
    if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
    return JSON.stringify(value);
  }

  function numberOf(field: string, value: number): string {
    if (/(?:_at|At)$/.test(field) && value >= FIRST_INSTANT)
      return format.dateTime(new Date(value), {
        dateStyle: "medium",
        timeStyle: "short",
        hourCycle: "h23",
        numberingSystem: "latn",
      });
    if (/Nano$|^prices\./.test(field)) return usd(value);
    return format.number(value, { numberingSystem: "latn", maximumFractionDigits: 9 });
  }

  return {
    actionOf,
    actorOf,
    shownValue,
    targetOf: (row: AuditRow) => row.target_name ?? row.target,
    fieldOf: fieldName,
  };
}
