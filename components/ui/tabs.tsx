"use client";

import { Tabs as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const Tabs = Primitive.Root;

export function TabsList(props: ComponentProps<typeof Primitive.List>) {
  return <Primitive.List data-slot="tabs-list" className="flex gap-1 overflow-x-auto border-b" {...props} />;
}

export function TabsTrigger(props: ComponentProps<typeof Primitive.Trigger>) {
  return (
    <Primitive.Trigger
      data-slot="tabs-trigger"
      className="whitespace-nowrap border-b-2 border-transparent px-3 py-2 text-base text-ink-muted transition-colors -outline-offset-2 hover:text-ink data-[state=active]:border-ink data-[state=active]:text-ink pointer-coarse:py-3"
      {...props}
    />
  );
}

export function TabsContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  return <Primitive.Content data-slot="tabs-content" className={cn("pt-4", className)} {...props} />;
}
