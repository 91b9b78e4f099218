"use client";

import { useOnDemand } from "../ui/use-on-demand";
import type { Example } from "./examples-menu";
import { ExamplesTrigger } from "./examples-trigger";

const loadMenu = () => import("./examples-menu").then((one) => one.ExamplesMenu);

/** The menu of example texts; its code is loaded when it is first opened. */
export function ExamplesButton({ onChoose }: { onChoose(example: Example): void }) {
  const { Loaded, loadNow, preload } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded onChoose={onChoose} />;
  return (
    <ExamplesTrigger
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={loadNow}
    />
  );
}
