import type { ReactNode } from "react";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { SignInFrame } from "@/components/sign-in/sign-in-frame";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "../request";

export const dynamic = "force-dynamic";

export default async function SignInLayout({ children }: { children: ReactNode }) {
  const locale = await requestLocale();
  return (
    <MessagesProvider messages={messagesFor(locale, ["signIn"])}>
      <SignInFrame>{children}</SignInFrame>
    </MessagesProvider>
  );
}
