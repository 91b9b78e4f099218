"use client";

import { useTranslations } from "use-intl";
import { passwordStrength } from "@/components/forms/password-strength";
import { cn } from "../ui/class-names";

const COLOURS = ["bg-bad", "bg-bad", "bg-warn", "bg-good", "bg-good"] as const;
const WORDS = ["veryWeak", "weak", "fair", "good", "strong"] as const;

/** The strength of a new password as four bars and a word. */
export function StrengthMeter({ password, personal }: { password: string; personal?: readonly string[] }) {
  const t = useTranslations("common.strength");
  const strength = passwordStrength(password, personal);
  const lit = password === "" ? 0 : Math.max(1, strength);
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden="true" className="flex flex-1 gap-1">
        {[1, 2, 3, 4].map((bar) => (
          <span
            key={bar}
            className={cn(
              "h-1 flex-1 rounded-full transition-colors",
              bar <= lit ? COLOURS[strength] : "bg-hover",
            )}
          />
        ))}
      </span>
      <output className="min-w-20 text-right text-xs text-ink-muted">
        {password === "" ? t("advice") : t(WORDS[strength])}
      </output>
    </span>
  );
}
