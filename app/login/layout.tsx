import type { ReactNode } from "react";
import { SignInFrame } from "@/components/sign-in/sign-in-frame";
import { PageMessages } from "../page-messages";

export const dynamic = "force-dynamic";

export default function SignInLayout({ children }: { children: ReactNode }) {
  return (
    <PageMessages areas={["signIn"]}>
      <SignInFrame>{children}</SignInFrame>
    </PageMessages>
  );
}
