"use client";

import { Button } from "./button";
import type { Choices } from "./choices-menu";
import { useOnDemand } from "./use-on-demand";

const loadMenu = () => import("./choices-menu").then((one) => one.ChoicesMenu);

/** A button with a menu of choices; the menu's code is loaded when it is first opened. */
export function ChoicesButton<Id extends string>(props: Choices<Id>) {
  const { Loaded, trigger } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} onPick={(id) => pick(props, id)} />;
  return <Button {...props.button} aria-haspopup="menu" {...trigger} />;
}

/** Passes the picked ID on with its type, which the menu has lost by being loaded without its type parameter. */
function pick<Id extends string>({ choices, onPick }: Choices<Id>, id: string): void {
  const choice = choices.find((one) => one.id === id);
  if (choice) onPick?.(choice.id);
}
