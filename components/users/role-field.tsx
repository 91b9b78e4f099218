import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/user";
import { Field } from "../forms/field";
import { NativeSelect } from "../ui/native-select";

/** The role to give, with what it means; an administrator gives the member's alone, and is told why. */
export function RoleField({
  viewerRole,
  chosen,
  hint,
  error,
  ...control
}: {
  viewerRole: Role;
  chosen: "admin" | "member";
  /** In place of what the role means. */
  hint?: string;
  error?: string;
} & ComponentProps<"select">) {
  const t = useTranslations("users");
  const isOwner = viewerRole === "owner";
  const words = isOwner ? (hint ?? t(`roleText.${chosen}`)) : t("form.roleOwnerOnly");
  return (
    <Field label={t("form.role")} hint={words} error={error}>
      {(props) => (
        <NativeSelect {...control} {...props}>
          <option value="member">{t("role.member")}</option>
          <option value="admin" disabled={!isOwner}>
            {t("role.admin")}
          </option>
        </NativeSelect>
      )}
    </Field>
  );
}
