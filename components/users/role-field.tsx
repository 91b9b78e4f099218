import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/console/user";
import { Field } from "../forms/field";
import { NativeSelect } from "../ui/input";

/** Selects a role and describes it. Only the owner may select administrator. */
export function RoleField({
  viewerRole,
  chosen,
  warning,
  error,
  ...control
}: {
  viewerRole: Role;
  chosen: "admin" | "member";
  /** A side effect of the change. */
  warning?: string;
  error?: string;
} & ComponentProps<"select">) {
  const t = useTranslations("users");
  const isOwner = viewerRole === "owner";
  const hint = (
    <>
      {isOwner ? t(`roleText.${chosen}`) : t("form.roleOwnerOnly")}
      {/* Always rendered, so that screen readers announce a warning that appears. */}
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
