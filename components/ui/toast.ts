/** A short message that disappears after some seconds. */
export interface Toast {
  kind: "message" | "success" | "warning" | "error";
  text: string;
  action?: { label: string; onClick(): void };
}

/** Toasts that wait until the code that draws them is loaded. */
const waiting: Toast[] = [];
let draw: ((toast: Toast) => void) | null = null;
let load: (() => void) | null = null;

function show(next: Toast): void {
  if (draw) draw(next);
  else {
    waiting.push(next);
    load?.();
  }
}

/** Shows a message: neutral, or as the success, warning or error of something. */
export const toast = Object.assign(
  (text: string, options: Pick<Toast, "action"> = {}) => show({ kind: "message", text, ...options }),
  {
    success: (text: string, options: Pick<Toast, "action"> = {}) =>
      show({ kind: "success", text, ...options }),
    warning: (text: string) => show({ kind: "warning", text }),
    error: (text: string) => show({ kind: "error", text }),
  },
);

/** Calls `loadNow` when the first toast needs the code that draws it. */
export function onFirstToast(loadNow: () => void): () => void {
  load = loadNow;
  if (waiting.length > 0) loadNow();
  return () => {
    load = null;
  };
}

/** Passes every toast to `show`, the waiting ones first. */
export function drawToasts(show: (toast: Toast) => void): () => void {
  draw = show;
  for (const one of waiting.splice(0)) show(one);
  return () => {
    draw = null;
  };
}
