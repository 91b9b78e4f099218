"use client";

import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { DialogFooter } from "../ui/dialog";

/** The buttons of a dialog's form: cancel and submit. */
export function FormFooter({
  action,
  isBusy,
  isDisabled = false,
  isDanger = false,
  onCancel,
}: {
  /** Text of the submit button. */
  action: string;
  isBusy: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
  onCancel(): void;
}) {
  const t = useTranslations("common");
  return (
    <DialogFooter>
      <Button variant="outline" onClick={onCancel}>
        {t("cancel")}
      </Button>
      <Button type="submit" variant={isDanger ? "danger" : "primary"} isBusy={isBusy} disabled={isDisabled}>
        {action}
      </Button>
    </DialogFooter>
  );
}
