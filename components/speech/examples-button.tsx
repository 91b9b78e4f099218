"use client";

import { useOnDemand } from "../ui/use-on-demand";
import type { Example } from "./examples-menu";
import { ExamplesTrigger } from "./examples-trigger";

const loadMenu = () => import("./examples-menu").then((one) => one.ExamplesMenu);

/** The menu of example texts, fetched when it is first opened. */
export function ExamplesButton({ onTake }: { onTake(example: Example): void }) {
  const { Loaded, demand, warm } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded onTake={onTake} />;
  return (
    <ExamplesTrigger
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={demand}
    />
  );
}
