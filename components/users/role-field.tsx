import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/user";
import { Field } from "../forms/field";
import { NativeSelect } from "../ui/native-select";

/** The role to give: an administrator gives the member's alone, and is told why. */
export function RoleField({
  viewerRole,
  hint,
  error,
  ...control
}: { viewerRole: Role; hint?: string; error?: string } & ComponentProps<"select">) {
  const t = useTranslations("users");
  const isOwner = viewerRole === "owner";
  return (
    <Field label={t("form.role")} hint={isOwner ? hint : t("form.roleOwnerOnly")} error={error}>
      {(props) => (
        <NativeSelect {...control} {...props}>
          <option value="member">
            {t("role.member")} · {t("roleText.member")}
          </option>
          <option value="admin" disabled={!isOwner}>
            {t("role.admin")} · {t("roleText.admin")}
          </option>
        </NativeSelect>
      )}
    </Field>
  );
}
