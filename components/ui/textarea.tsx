import type { ComponentProps } from "react";
import { cn } from "./class-names";
import { fieldClasses } from "./input";

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return (
    <textarea
      data-slot="textarea"
      className={cn(fieldClasses, "field-sizing-content min-h-20 py-2", className)}
      {...props}
    />
  );
}
