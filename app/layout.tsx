import type { Metadata, Viewport } from "next";
import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import { LocaleProvider } from "@/components/shell/messages-provider";
import { Toaster } from "@/components/shell/toaster";
import { messagesFor } from "@/lib/messages/catalogue";
import { mono, sans, secret } from "./fonts";
import { requestLocale, requestNonce } from "./request";
import "./globals.css";

export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  title: { template: "%s · Patchbay", default: "Patchbay" },
  description: "One gateway for speech and embeddings.",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfaf7" },
    { media: "(prefers-color-scheme: dark)", color: "#100e0c" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [locale, nonce] = await Promise.all([requestLocale(), requestNonce()]);
  const messages = messagesFor(locale, ["common"]);
  return (
    // The theme script sets a class on <html> before hydration.
    <html
      lang={locale}
      className={`${sans.variable} ${mono.variable} ${secret.variable}`}
      suppressHydrationWarning
    >
      <head>
        {/* No paint before the whole page is parsed: a table painted in parts changes its column widths. */}
        <link rel="expect" href="#page-end" blocking="render" />
      </head>
      <body>
        <noscript>
          <p className="border-b bg-warn-soft p-3 text-center">{messages.common.noScript}</p>
        </noscript>
        {/* Sets light or dark before the first paint, with an inline script that carries the request's CSP nonce. */}
        <ThemeProvider
          attribute="class"
          defaultTheme="system"
          enableSystem
          disableTransitionOnChange
          nonce={nonce}
        >
          <LocaleProvider locale={locale} messages={messages}>
            {children}
            <Toaster />
          </LocaleProvider>
        </ThemeProvider>
        <span id="page-end" hidden />
      </body>
    </html>
  );
}
