import { useSyncExternalStore } from "react";

/** The texts that are lit, by index: a cell of the matrix has two, a point of the map or a row of the list one. */
export interface Focus {
  row: number;
  column: number | null;
}

export interface FocusState {
  /** Under the pointer. */
  hovered: Focus | null;
  /** Chosen by a press or with the keyboard; stays. */
  pinned: Focus | null;
}

/**
 * What list, matrix and map light up together. Outside React: the pointer moves it on each frame, and a canvas
 * repaints without one component rendering.
 */
export interface FocusStore {
  get(): FocusState;
  hover(focus: Focus | null): void;
  pin(focus: Focus | null): void;
  subscribe(listen: () => void): () => void;
}

function isSame(one: Focus | null, other: Focus | null): boolean {
  return one === other || (one?.row === other?.row && one?.column === other?.column);
}

export function createFocusStore(): FocusStore {
  let state: FocusState = { hovered: null, pinned: null };
  const listeners = new Set<() => void>();
  const set = (next: FocusState) => {
    if (isSame(next.hovered, state.hovered) && isSame(next.pinned, state.pinned)) return;
    state = next;
    for (const listen of listeners) listen();
  };
  return {
    get: () => state,
    hover: (hovered) => set({ ...state, hovered }),
    pin: (pinned) => set({ hovered: null, pinned }),
    subscribe: (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}

/** What is lit now: what the pointer is on, else what is pinned. */
export function litOf({ hovered, pinned }: FocusState): Focus | null {
  return hovered ?? pinned;
}

export function isLit(focus: Focus | null, index: number): boolean {
  return focus !== null && (focus.row === index || focus.column === index);
}

const NOTHING: FocusState = { hovered: null, pinned: null };

/** A part of the focus; the component renders again only when that part changes (compared with Object.is). */
export function useFocus<Part>(store: FocusStore, pick: (state: FocusState) => Part): Part {
  return useSyncExternalStore(
    store.subscribe,
    () => pick(store.get()),
    () => pick(NOTHING),
  );
}
