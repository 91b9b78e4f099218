import type { ReactNode } from "react";
import { cn } from "../ui/class-names";

/**
 * Our own marks, as the providers' logos are trademarks. Each is a line drawing in the colour of the text: petals, a
 * spark, bars of sound, a cloud, a plug, and the patch bay's jacks for built-in engines.
 */
const MARKS: Readonly<Record<string, ReactNode>> = {
  openai: (
    <>
      <circle cx="12" cy="7.5" r="4" />
      <circle cx="8" cy="14.5" r="4" />
      <circle cx="16" cy="14.5" r="4" />
    </>
  ),
  gemini: <path d="M12 3c1 5.5 3.5 8 9 9-5.5 1-8 3.5-9 9-1-5.5-3.5-8-9-9 5.5-1 8-3.5 9-9Z" />,
  elevenlabs: <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />,
  azure: <path d="M7 18h10a4 4 0 0 0 .5-7.97A6 6 0 0 0 6.1 10.5 3.8 3.8 0 0 0 7 18Z" />,
  compatible: <path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0ZM12 17v4" />,
  embedded: (
    <>
      <circle cx="7" cy="7" r="2.5" />
      <circle cx="17" cy="7" r="2.5" />
      <circle cx="7" cy="17" r="2.5" />
      <circle cx="17" cy="17" r="2.5" />
    </>
  ),
};

/** The mark of a provider; a plain ring for one without a drawing. Decorative: its name is beside it. */
export function ProviderMark({ provider, className }: { provider: string; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={cn("shrink-0", className)}
    >
      {MARKS[provider] ?? <circle cx="12" cy="12" r="8" />}
    </svg>
  );
}
