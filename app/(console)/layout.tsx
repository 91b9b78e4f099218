import type { ReactNode } from "react";
import { Shell } from "@/components/shell/shell";
import { getPageSession } from "@/lib/server/process/page-session";

export const dynamic = "force-dynamic";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const pageSession = await getPageSession();
  // Each page redirects without a session (guard.ts); the shell needs a user.
  if (!pageSession) return children;
  const { id, username, displayName, role } = pageSession.user;
  return <Shell user={{ id, username, displayName, role }}>{children}</Shell>;
}
