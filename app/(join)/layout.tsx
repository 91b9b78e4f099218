import type { ReactNode } from "react";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { SignInFrame } from "@/components/sign-in/sign-in-frame";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "../request";

export const dynamic = "force-dynamic";

/** The pages that create an account or reset a password, in the sign-in frame. */
export default async function JoinLayout({ children }: { children: ReactNode }) {
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["join"])}>
      <SignInFrame>{children}</SignInFrame>
    </MessagesProvider>
  );
}
