"use client";

import { useOnDemand } from "../ui/use-on-demand";
import { type ModelMenuProps, ModelMenuTrigger } from "./model-menu-trigger";

const loadMenu = () => import("./model-menu").then((one) => one.ModelMenu);

/** The menu of a model, fetched when it is first opened. */
export function ModelMenuButton(props: ModelMenuProps) {
  const { Loaded, demand, warm } = useOnDemand(loadMenu);
  if (Loaded) return <Loaded {...props} />;
  return (
    <ModelMenuTrigger
      name={props.model.name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={warm}
      onFocus={warm}
      onClick={demand}
    />
  );
}
