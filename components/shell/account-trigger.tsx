import { ChevronsUpDownIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import type { Role } from "@/lib/contracts/console/user";

export interface ShellUser {
  id: string;
  username: string;
  displayName: string;
  role: Role;
}

/** The button that opens the account menu; shows the signed-in user. */
export function AccountTrigger({ user, ...props }: { user: ShellUser } & ComponentProps<"button">) {
  const t = useTranslations("common.menu");
  return (
    <button
      type="button"
      aria-label={`${t("account")}: ${user.username}`}
      className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left transition-colors hover:bg-hover data-[state=open]:bg-hover"
      {...props}
    >
      <span
        aria-hidden="true"
        className="flex size-7 shrink-0 items-center justify-center rounded-full bg-ink text-xs font-medium text-on-ink uppercase"
      >
        {[...(user.displayName || user.username)][0]}
      </span>
      <span className="grid min-w-0 flex-1 leading-tight">
        <span className="truncate text-sm font-medium">{user.displayName || user.username}</span>
        {user.displayName && user.displayName !== user.username ? (
          <span className="truncate text-xs text-ink-faint">{user.username}</span>
        ) : null}
      </span>
      <ChevronsUpDownIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
    </button>
  );
}
