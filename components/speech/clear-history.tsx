"use client";

import { useTranslations } from "use-intl";
import {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
  AlertDialogTrigger,
} from "../ui/alert-dialog";
import { Button } from "../ui/button";

/** Deletes the user's takes in this browser after a confirmation. */
export function ClearHistory({ count, onClear }: { count: number; onClear(): void }) {
  const t = useTranslations("speech.history");
  const common = useTranslations("common");
  return (
    <AlertDialog>
      <AlertDialogTrigger asChild>
        <Button variant="ghost" size="sm" className="ml-auto">
          {t("clear")}
        </Button>
      </AlertDialogTrigger>
      <AlertDialogContent>
        <AlertDialogTitle>{t("clearTitle", { count })}</AlertDialogTitle>
        <AlertDialogDescription>{t("clearText")}</AlertDialogDescription>
        <AlertDialogFooter>
          <AlertDialogCancel>{common("cancel")}</AlertDialogCancel>
          <AlertDialogAction onClick={onClear}>{t("clearAction")}</AlertDialogAction>
        </AlertDialogFooter>
      </AlertDialogContent>
    </AlertDialog>
  );
}
