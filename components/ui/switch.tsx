"use client";

import { Switch as Primitive } from "radix-ui";
import { type ComponentProps, useState } from "react";
import { cn } from "./class-names";

export function Switch({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      data-slot="switch"
      className={cn(
        "inline-flex h-5 w-9 align-middle shrink-0 items-center rounded-full border border-line-strong bg-sunken p-px transition-colors disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-ink data-[state=checked]:bg-ink forced-colors:border-[ButtonText] forced-colors:bg-[ButtonFace] forced-colors:data-[state=checked]:bg-[Highlight]",
        className,
      )}
      {...props}
    >
      <Primitive.Thumb className="block size-4 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-ink forced-colors:bg-[ButtonText] forced-colors:data-[state=checked]:bg-[HighlightText]" />
    </Primitive.Root>
  );
}

/** A switch that saves each change at once: while it saves, it shows the new state and ignores clicks. */
export function SavingSwitch({
  checked,
  onToggle,
  ...props
}: Omit<ComponentProps<typeof Switch>, "onToggle"> & {
  checked: boolean;
  onToggle(checked: boolean): Promise<void>;
}) {
  const [saving, setSaving] = useState<boolean | null>(null);
  const toggle = async (next: boolean) => {
    if (saving !== null) return;
    setSaving(next);
    await onToggle(next).finally(() => setSaving(null));
  };
  return <Switch {...props} checked={saving ?? checked} onCheckedChange={(next) => void toggle(next)} />;
}
