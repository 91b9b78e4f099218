import { useSyncExternalStore } from "react";

/** Indexes of the focused texts: a matrix cell has two; a map point or a list row has one, and `column` is null. */
export interface Focus {
  row: number;
  column: number | null;
}

interface FocusState {
  /** Under the pointer. */
  hovered: Focus | null;
  /** Selected by click, tap or keyboard; stays until deselected. */
  pinned: Focus | null;
}

/**
 * Which texts the list, the matrix and the map highlight together. Kept outside React state: it changes on every
 * pointer move, and the canvases repaint without rendering a component.
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

/** The texts to highlight: those under the pointer, else the pinned ones. */
export function highlightOf({ hovered, pinned }: FocusState): Focus | null {
  return hovered ?? pinned;
}

export function isHighlighted(focus: Focus | null, index: number): boolean {
  return focus !== null && (focus.row === index || focus.column === index);
}

const NO_FOCUS: FocusState = { hovered: null, pinned: null };

/** Subscribes to a part of the focus; renders again only when that part changes (compared with Object.is). */
export function useFocus<Part>(store: FocusStore, select: (state: FocusState) => Part): Part {
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.get()),
    () => select(NO_FOCUS),
  );
}
