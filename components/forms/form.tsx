import type { ComponentProps } from "react";

/**
 * A form that only script submits. Before hydration, a browser would submit a plain form itself and put its values, a
 * password included, into the URL. With `method="dialog"` it does nothing outside a `<dialog>` (HTML Standard
 * §4.10.22.3, form submission algorithm, step "dialog").
 */
export function Form(props: ComponentProps<"form">) {
  return <form {...props} method="dialog" />;
}
