import { useEffect, useSyncExternalStore } from "react";

/** A form with unsaved changes. */
interface UnsavedForm {
  /** The title of the form. */
  name: string;
  /** The section of the page that holds it, where a page has sections. */
  part: string | null;
}

/**
 * The open question about the unsaved forms. With `go`, it asks whether to leave; `go` is the navigation to run if
 * confirmed. With `go` null, the session has ended, and it asks the user to sign in in another tab.
 */
interface LeavePrompt {
  names: readonly string[];
  go: (() => void) | null;
  /** Another user has signed in, for whom `go` reloads the page. */
  isForOtherUser: boolean;
}

let forms: readonly UnsavedForm[] = [];
let prompt: LeavePrompt | null = null;
/** Leaving is confirmed, the form is saved or the user has signed out: no more questions. */
let isDiscarded = false;
/** The user has been asked to sign in since the session ended. */
let hasAskedToSignIn = false;
/** Another user has signed in: the page is reloaded when nothing is unsaved any more. */
let hasOtherUser = false;
/** The history entry of the page with the form; the browser's Back has left it before `popstate` fires. */
let historyEntry: { state: unknown; url: string } = { state: null, url: "" };

const listeners = new Set<() => void>();
const NONE: readonly UnsavedForm[] = [];

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
function notify(): void {
  for (const listener of listeners) listener();
}

const hasUnsavedChanges = () => forms.length > 0 && !isDiscarded;

const onBeforeUnload = (event: BeforeUnloadEvent) => {
  if (hasUnsavedChanges()) event.preventDefault();
};

function setForms(next: readonly UnsavedForm[]): void {
  forms = next;
  isDiscarded = false;
  if (forms.length === 0) {
    hasAskedToSignIn = false;
    // Deferred: a form that is renamed is first removed, then added again.
    if (hasOtherUser) queueMicrotask(reloadForOtherUser);
  }
  // While the question was open, the forms it is about were saved.
  if (prompt !== null && !forms.some(({ name }) => prompt?.names.includes(name))) prompt = null;
  // A page with this listener is not put into the back/forward cache, so it is added only while needed.
  if (forms.length > 0) window.addEventListener("beforeunload", onBeforeUnload);
  else window.removeEventListener("beforeunload", onBeforeUnload);
  notify();
}

/** Adds a form with unsaved changes; returns a function that removes it. */
export function addUnsaved(form: UnsavedForm): () => void {
  setForms([...forms, form]);
  return () => setForms(forms.filter((one) => one !== form));
}

function keepHistoryEntry(): void {
  historyEntry = { state: window.history.state, url: window.location.href };
}

/**
 * Waits for a reply with a secret that is shown only once. Until then, leaving the page asks for confirmation, also
 * after the dialog of the request was closed. `name`: the title of the dialog or of the secret.
 */
export async function awaitSecret<Reply>(name: string, reply: Promise<Reply>): Promise<Reply> {
  keepHistoryEntry();
  const remove = addUnsaved({ name, part: null });
  // Deferred until the secret is shown: what shows it counts as unsaved itself.
  return reply.finally(() => setTimeout(remove));
}

/** While `isDirty`, leaving the page asks for confirmation. `name`: the form's title; `part`: see `useUnsavedParts`. */
export function useUnsaved(isDirty: boolean, name: string, part: string | null = null): void {
  useEffect(() => {
    // On every render: changing a query parameter adds a history entry of the same page.
    if (isDirty) keepHistoryEntry();
  });
  useEffect(() => {
    if (!isDirty) return;
    return addUnsaved({ name, part });
  }, [isDirty, name, part]);
}

/** The sections of the page with unsaved changes. */
export function useUnsavedParts(): ReadonlySet<string | null> {
  const now = useSyncExternalStore(
    subscribe,
    () => forms,
    () => NONE,
  );
  return new Set(now.map((form) => form.part));
}

/** The open question; null: none. */
export function useLeavePrompt(): LeavePrompt | null {
  return useSyncExternalStore(
    subscribe,
    () => prompt,
    () => null,
  );
}

/** Stops asking until a form changes again: the changes are saved, or the user has signed out. */
export function discardUnsaved(): void {
  isDiscarded = true;
}

/** Answers the open question: leave or stay. */
export function answerLeavePrompt(leaves: boolean): void {
  const answered = prompt;
  prompt = null;
  if (leaves) discardUnsaved();
  notify();
  if (leaves) answered?.go?.();
}

/** Asks whether to lose the changes of the forms `names`; `go` runs if so. */
export function askToLeave(go: LeavePrompt["go"], names = forms.map((form) => form.name)): void {
  prompt = { names: [...new Set(names)], go, isForOtherUser: false };
  notify();
}

/**
 * Asks the user to sign in in another tab if signing in here would lose changes; returns false if it would not.
 * `isAutomatic`: no action of the user revealed the end of the session, so the question is asked only once.
 */
export function askToSignIn(isAutomatic: boolean): boolean {
  if (!hasUnsavedChanges()) return false;
  if (!isAutomatic || !hasAskedToSignIn) askToLeave(null);
  hasAskedToSignIn = true;
  return true;
}

/**
 * Reloads the page, which belongs to the user who opened it, for the user who has signed in in another tab since. Asks
 * once if that would lose changes, and waits until they are saved or discarded.
 */
export function reloadForOtherUser(): void {
  const go = () => window.location.reload();
  if (!hasUnsavedChanges()) {
    go();
    return;
  }
  if (hasOtherUser) return;
  hasOtherUser = true;
  prompt = { names: [...new Set(forms.map(({ name }) => name))], go, isForOtherUser: true };
  notify();
}

/** Navigates to `path` with `go`; asks first if that leaves a page with unsaved changes. */
export function leaveTo(path: string, go: (path: string) => void): void {
  const isSamePage = new URL(path, window.location.href).pathname === window.location.pathname;
  if (isSamePage || !hasUnsavedChanges()) go(path);
  else askToLeave(() => go(path));
}

/** The path a click is about to open in this tab; null for other clicks and for other sites. */
function clickedPath(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return null;
  if (!["", "_self"].includes(link.target) || !link.href.startsWith(`${window.location.origin}/`))
    return null;
  return link.pathname === window.location.pathname ? null : link.pathname + link.search + link.hash;
}

/** Guards links and the browser's Back. `push` navigates to a console path. Returns a function that stops it. */
export function watchNavigation(push: (path: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const path = hasUnsavedChanges() ? clickedPath(event) : null;
    if (path === null) return;
    // Only the navigation is prevented: the link's own handlers still run, e.g. to close the menu it is in.
    event.preventDefault();
    leaveTo(path, push);
  };
  const onPopState = (event: PopStateEvent) => {
    if (!hasUnsavedChanges() || new URL(historyEntry.url).pathname === window.location.pathname) return;
    // Hides the event from the router. Next patches `history.pushState`, hence the prototype's method.
    event.stopImmediatePropagation();
    const { scrollX, scrollY } = window;
    History.prototype.pushState.call(window.history, historyEntry.state, "", historyEntry.url);
    // The browser has restored the other page's scroll position.
    requestAnimationFrame(() => window.scrollTo(scrollX, scrollY));
    askToLeave(() => window.history.back());
  };
  document.addEventListener("click", onClick, true);
  window.addEventListener("popstate", onPopState, true);
  return () => {
    document.removeEventListener("click", onClick, true);
    window.removeEventListener("popstate", onPopState, true);
  };
}
