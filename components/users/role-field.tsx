import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/console/user";
import { Field } from "../forms/field";
import { NativeSelect } from "../ui/native-select";

/** The role to give, with what it means; an administrator gives the member's alone, and is told why. */
export function RoleField({
  viewerRole,
  chosen,
  warning,
  error,
  ...control
}: {
  viewerRole: Role;
  chosen: "admin" | "member";
  /** What giving it brings besides. */
  warning?: string;
  error?: string;
} & ComponentProps<"select">) {
  const t = useTranslations("users");
  const isOwner = viewerRole === "owner";
  const hint = (
    <>
      {isOwner ? t(`roleText.${chosen}`) : t("form.roleOwnerOnly")}
      {/* Always there, so that its words are read out when they come. */}
      <span role="status" className="block text-warn">
        {warning}
      </span>
    </>
  );
  return (
    <Field label={t("form.role")} hint={hint} error={error}>
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
