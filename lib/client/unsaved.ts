import { useEffect, useSyncExternalStore } from "react";

/** A form whose words no server has yet. */
interface UnsavedForm {
  /** What the visitor knows it by. */
  name: string;
  /** The part of its page that holds it, where a page has parts. */
  part: string | null;
}

/** Whether to leave all the same: what would be lost, and the way on. */
interface LeavePrompt {
  names: readonly string[];
  go(): void;
}

let forms: readonly UnsavedForm[] = [];
let prompt: LeavePrompt | null = null;
/** The visitor, or the end of the session, has said that nothing is kept. */
let isDiscarded = false;
/** The history's entry of the page with the form, for the browser's Back has left it before it can be asked. */
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

const isArmed = () => forms.length > 0 && !isDiscarded;

const onBeforeUnload = (event: BeforeUnloadEvent) => {
  if (isArmed()) event.preventDefault();
};

function setForms(next: readonly UnsavedForm[]): void {
  forms = next;
  isDiscarded = false;
  // Browsers keep a page that listens for this out of their cache: only while there is a reason.
  if (forms.length > 0) window.addEventListener("beforeunload", onBeforeUnload);
  else window.removeEventListener("beforeunload", onBeforeUnload);
  notify();
}

/**
 * While `isDirty`, leaving the page asks first. `name`: what the visitor knows the form by; `part`: see
 * `useUnsavedParts`.
 */
export function useUnsaved(isDirty: boolean, name: string, part: string | null = null): void {
  useEffect(() => {
    // At every drawing: a choice in the address's query makes another entry of the same page.
    if (isDirty) historyEntry = { state: window.history.state, url: window.location.href };
  });
  useEffect(() => {
    if (!isDirty) return;
    const form = { name, part };
    setForms([...forms, form]);
    return () => setForms(forms.filter((one) => one !== form));
  }, [isDirty, name, part]);
}

/** The parts of this page that hold unsaved words. */
export function useUnsavedParts(): ReadonlySet<string | null> {
  const now = useSyncExternalStore(
    subscribe,
    () => forms,
    () => NONE,
  );
  return new Set(now.map((form) => form.part));
}

/** What is asked at the moment. */
export function useLeavePrompt(): LeavePrompt | null {
  return useSyncExternalStore(
    subscribe,
    () => prompt,
    () => null,
  );
}

/** Nothing is asked any more until somebody writes again: what stood here is saved, or its session has ended. */
export function discardUnsaved(): void {
  isDiscarded = true;
}

/** Answers the question: leaves, or stays. */
export function answerLeavePrompt(leaves: boolean): void {
  const asked = prompt;
  prompt = null;
  if (leaves) discardUnsaved();
  notify();
  if (leaves) asked?.go();
}

function ask(go: () => void): void {
  prompt = { names: [...new Set(forms.map((form) => form.name))], go };
  notify();
}

/** Goes to `path` by `go`, once the visitor gives up what another page than that one holds unsaved. */
export function leaveTo(path: string, go: (path: string) => void): void {
  const isSamePage = new URL(path, window.location.href).pathname === window.location.pathname;
  if (isSamePage || !isArmed()) go(path);
  else ask(() => go(path));
}

/** The path of this product that a plain click is about to open in this tab; null: something else. */
function clickedPath(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return null;
  if (!["", "_self"].includes(link.target) || !link.href.startsWith(`${window.location.origin}/`))
    return null;
  return link.pathname === window.location.pathname ? null : link.pathname + link.search + link.hash;
}

/** Watches links and the browser's Back; `push` opens a path of the console. Gives the way to stop. */
export function watchNavigation(push: (path: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const path = isArmed() ? clickedPath(event) : null;
    if (path === null) return;
    // The link's own handlers run, so that the menu it stands in closes; only the way is not gone.
    event.preventDefault();
    leaveTo(path, push);
  };
  const onPopState = (event: PopStateEvent) => {
    if (!isArmed() || new URL(historyEntry.url).pathname === window.location.pathname) return;
    // The router must not hear of it; the history's own method, since the router listens at the page's.
    event.stopImmediatePropagation();
    const { scrollX, scrollY } = window;
    History.prototype.pushState.call(window.history, historyEntry.state, "", historyEntry.url);
    // The browser scrolls to where the other page stood.
    requestAnimationFrame(() => window.scrollTo(scrollX, scrollY));
    ask(() => window.history.back());
  };
  document.addEventListener("click", onClick, true);
  window.addEventListener("popstate", onPopState, true);
  return () => {
    document.removeEventListener("click", onClick, true);
    window.removeEventListener("popstate", onPopState, true);
  };
}
