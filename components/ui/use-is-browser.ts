import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether this is the visitor's browser at work: the server knows neither its zone nor its clock. */
export function useIsBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
