"use client";

import { Command as Primitive, useCommandState } from "cmdk";
import { SearchIcon } from "lucide-react";
import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { cn } from "./class-names";

export function Command(props: ComponentProps<typeof Primitive>) {
  return (
    <Primitive
      data-slot="command"
      className="flex w-full flex-col overflow-hidden rounded-md bg-raised text-ink"
      {...props}
    />
  );
}

/**
 * Sets `aria-activedescendant` to the selected item. cmdk's own value lags one selection behind, because it is read before
 * the items are rendered again.
 */
function useActiveDescendant() {
  const field = useRef<HTMLInputElement>(null);
  useCommandState((state) => [state.value, state.selectedItemId, state.filtered.count].join(" "));
  useLayoutEffect(() => {
    const selected = field.current
      ?.closest("[cmdk-root]")
      ?.querySelector('[cmdk-item][aria-selected="true"]');
    if (selected) field.current?.setAttribute("aria-activedescendant", selected.id);
    else field.current?.removeAttribute("aria-activedescendant");
  });
  return field;
}

export function CommandInput(props: ComponentProps<typeof Primitive.Input>) {
  const field = useActiveDescendant();
  return (
    <div className="flex items-center gap-2 border-b px-3">
      <SearchIcon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
      <Primitive.Input
        ref={field}
        data-slot="command-input"
        className="h-11 w-full bg-transparent text-base outline-none placeholder:text-ink-faint"
        {...props}
      />
    </div>
  );
}

export function CommandList({ className, ...props }: ComponentProps<typeof Primitive.List>) {
  return (
    <Primitive.List
      className={cn("max-h-[min(28rem,60dvh)] scroll-py-1 overflow-y-auto overflow-x-hidden p-1", className)}
      {...props}
    />
  );
}

export function CommandEmpty(props: ComponentProps<typeof Primitive.Empty>) {
  return <Primitive.Empty className="py-8 text-center text-ink-muted" {...props} />;
}

export function CommandGroup(props: ComponentProps<typeof Primitive.Group>) {
  return (
    <Primitive.Group
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
      {...props}
    />
  );
}

export function CommandItem(props: ComponentProps<typeof Primitive.Item>) {
  return (
    <Primitive.Item
      className="flex select-none items-center gap-2 rounded-sm px-2 py-2 outline-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-hover pointer-coarse:py-3 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint"
      {...props}
    />
  );
}
