import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";
import { loadPart } from "@/lib/client/load-part";

/**
 * A part of a page that is not rendered on the server and whose code is loaded when it is first shown; see `loadPart`.
 * `loading` is shown until then.
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props> | { default: ComponentType<Props> }>,
  loading?: () => ReactNode,
): ComponentType<Props> {
  return dynamic(() => loadPart(load), { ssr: false, loading });
}
