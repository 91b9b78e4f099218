import type { ReactNode } from "react";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { LoginFrame } from "@/components/sign-in/login-frame";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "../request";

export const dynamic = "force-dynamic";

export default async function LoginLayout({ children }: { children: ReactNode }) {
  const locale = await requestLocale();
  return (
    <MessagesProvider messages={messagesFor(locale, ["login"])}>
      <LoginFrame>{children}</LoginFrame>
    </MessagesProvider>
  );
}
