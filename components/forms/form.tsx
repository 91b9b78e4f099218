import type { ComponentProps } from "react";

/**
 * A form that the page's script alone sends. Before the script listens, a browser would send it by itself, with the
 * words (a password, too) in the address; with this method it does nothing outside of a `<dialog>` (HTML Standard
 * §4.10.22.3, form submission algorithm, step "dialog").
 */
export function Form(props: ComponentProps<"form">) {
  return <form {...props} method="dialog" />;
}
