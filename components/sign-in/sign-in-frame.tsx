import type { ReactNode } from "react";
import { Wordmark } from "../shell/mark";
import { PatchArt } from "../shell/patch-art";
import { PreferenceBar } from "../shell/preference-bar";

/** The layout of the sign-in, invite, registration and password reset pages. */
export function SignInFrame({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
      <div className="flex flex-col">
        <header className="flex items-center justify-between p-4 sm:px-8 sm:py-6">
          <Wordmark />
          <PreferenceBar />
        </header>
        <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center px-4 pt-6 pb-24">
          {children}
        </main>
      </div>
      <div className="hidden items-center justify-center overflow-hidden border-l bg-sunken/60 p-16 lg:flex">
        <PatchArt />
      </div>
    </div>
  );
}
