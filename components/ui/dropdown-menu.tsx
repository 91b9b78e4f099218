"use client";

import { CheckIcon } from "lucide-react";
import { DropdownMenu as Primitive } from "radix-ui";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

export const DropdownMenu = Primitive.Root;
export const DropdownMenuTrigger = Primitive.Trigger;
export const DropdownMenuRadioGroup = Primitive.RadioGroup;

export const floatClasses =
  "z-50 rounded-md border bg-raised text-ink shadow-float outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:duration-150 data-[side=bottom]:slide-in-from-top-1 data-[side=top]:slide-in-from-bottom-1 data-[state=closed]:animate-out data-[state=closed]:fade-out-0 data-[state=closed]:duration-120";
const itemClasses =
  "relative flex select-none items-center gap-2 rounded-sm px-2 py-1.5 text-base outline-none data-disabled:opacity-50 data-highlighted:bg-hover pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint";

export function DropdownMenuContent({ className, ...props }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal>
      <Primitive.Content
        data-slot="dropdown-menu"
        sideOffset={4}
        collisionPadding={8}
        className={cn(
          floatClasses,
          "max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto p-1",
          className,
        )}
        {...props}
      />
    </Primitive.Portal>
  );
}

export function DropdownMenuItem({
  isDanger,
  ...props
}: ComponentProps<typeof Primitive.Item> & { isDanger?: boolean }) {
  return (
    <Primitive.Item
      data-slot="dropdown-menu-item"
      className={cn(itemClasses, isDanger && "text-bad data-highlighted:bg-bad-soft [&_svg]:text-bad")}
      {...props}
    />
  );
}

export function DropdownMenuRadioItem({ children, ...props }: ComponentProps<typeof Primitive.RadioItem>) {
  return (
    <Primitive.RadioItem data-slot="dropdown-menu-radio" className={cn(itemClasses, "pr-8")} {...props}>
      {children}
      <Primitive.ItemIndicator className="absolute right-2">
        <CheckIcon />
      </Primitive.ItemIndicator>
    </Primitive.RadioItem>
  );
}

export function DropdownMenuLabel(props: ComponentProps<typeof Primitive.Label>) {
  return <Primitive.Label className="px-2 pt-1.5 pb-1 text-xs text-ink-faint" {...props} />;
}

export function DropdownMenuSeparator(props: ComponentProps<typeof Primitive.Separator>) {
  return <Primitive.Separator className="-mx-1 my-1 h-px bg-line" {...props} />;
}
