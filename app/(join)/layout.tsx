import type { ReactNode } from "react";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { SignInFrame } from "@/components/sign-in/sign-in-frame";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale } from "../request";

export const dynamic = "force-dynamic";

/** The pages by which people become users; the same frame as signing in. */
export default async function JoinLayout({ children }: { children: ReactNode }) {
  return (
    <MessagesProvider messages={messagesFor(await requestLocale(), ["join"])}>
      <SignInFrame>{children}</SignInFrame>
    </MessagesProvider>
  );
}
