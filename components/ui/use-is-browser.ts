import { useSyncExternalStore } from "react";

/** There is nothing to subscribe to: the value only differs between server and browser. */
const subscribe = () => () => undefined;

/** True in the browser, false on the server and during hydration; for values that need the browser's time zone or clock. */
export function useIsBrowser(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
