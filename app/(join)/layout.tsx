import type { ReactNode } from "react";
import { SignInFrame } from "@/components/sign-in/sign-in-frame";
import { PageMessages } from "../page-messages";

export const dynamic = "force-dynamic";

/** The pages that create an account or reset a password, in the sign-in frame. */
export default function JoinLayout({ children }: { children: ReactNode }) {
  return (
    <PageMessages areas={["join"]}>
      <SignInFrame>{children}</SignInFrame>
    </PageMessages>
  );
}
