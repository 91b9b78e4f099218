import { EllipsisIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ManagedUser, Role } from "@/lib/contracts/user";
import { Button, type ButtonProps } from "../ui/button";

export type UserAction =
  | "edit"
  | "password"
  | "factor"
  | "unlock"
  | "sessions"
  | "disable"
  | "enable"
  | "delete";

/** Who looks at the list. */
export interface Viewer {
  id: string;
  role: Role;
}

export interface UserMenuProps {
  user: ManagedUser;
  viewer: Viewer;
  onAction(action: UserAction): void;
}

/** What opens the menu; it looks the same before and after the menu has come. */
export function UserMenuTrigger({ name, ...props }: Omit<ButtonProps, "name"> & { name: string }) {
  const t = useTranslations("users.menu");
  return (
    <Button variant="ghost" size="icon-sm" {...props} aria-label={t("label", { name })}>
      <EllipsisIcon />
    </Button>
  );
}
