import type { ReactNode } from "react";
import { Shell } from "@/components/shell/shell";
import { getPageSession } from "@/lib/server/process/page-session";

export const dynamic = "force-dynamic";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const found = await getPageSession();
  // Each page guards itself (guard.ts) and sends the visitor away; the frame shows nobody's name meanwhile.
  if (!found) return children;
  const { username, displayName, role } = found.user;
  return <Shell user={{ username, displayName, role }}>{children}</Shell>;
}
