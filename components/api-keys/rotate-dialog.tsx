"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { ConfirmDialog } from "../forms/confirm-dialog";
import { Field } from "../forms/field";
import { NativeSelect } from "../ui/input";

const GRACE_HOURS = [0, 1, 6, 12, 24];
const DEFAULT_HOURS = 24;

/** Confirms a rotation and asks how long the old key stays valid. */
export function RotateDialog({
  name,
  onRotate,
  onClose,
}: {
  name: string;
  onRotate(graceHours: number): Promise<void>;
  onClose(): void;
}) {
  const t = useTranslations("apiKeys.rotate");
  const [hours, setHours] = useState(DEFAULT_HOURS);
  return (
    <ConfirmDialog
      title={t("title", { name })}
      text={t("text")}
      action={t("action")}
      isDanger={false}
      onConfirm={() => onRotate(hours)}
      onClose={onClose}
    >
      <Field label={t("grace")}>
        {(control) => (
          <NativeSelect {...control} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
            {GRACE_HOURS.map((one) => (
              <option key={one} value={one}>
                {t("hours", { hours: one })}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
    </ConfirmDialog>
  );
}
