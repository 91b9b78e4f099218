import { CircleAlertIcon, CircleCheckIcon, InfoIcon, TriangleAlertIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./class-names";

const TONES = {
  info: { box: "border-info/30 bg-info-soft", icon: InfoIcon, ink: "text-info" },
  good: { box: "border-good/30 bg-good-soft", icon: CircleCheckIcon, ink: "text-good" },
  warn: { box: "border-warn/30 bg-warn-soft", icon: TriangleAlertIcon, ink: "text-warn" },
  bad: { box: "border-bad/40 bg-bad-soft", icon: CircleAlertIcon, ink: "text-bad" },
} as const;

/** An inline message. `isLive`: screen readers announce it when it appears. */
export function Notice({
  tone,
  title,
  children,
  isLive,
  className,
}: {
  tone: keyof typeof TONES;
  title?: ReactNode;
  children?: ReactNode;
  isLive?: boolean;
  className?: string;
}) {
  const { box, icon: Icon, ink } = TONES[tone];
  return (
    <div
      data-slot="notice"
      role={isLive ? (tone === "bad" ? "alert" : "status") : undefined}
      className={cn("flex gap-3 rounded-md border p-3 text-base text-ink", box, className)}
    >
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", ink)} />
      <div className="grid min-w-0 flex-1 gap-1">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className="text-ink-muted">{children}</div> : null}
      </div>
    </div>
  );
}
