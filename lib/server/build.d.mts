export const ROOT: string;
export const OUT: string;
export function buildWorkers(): Promise<void>;
export function ensureServer(): Promise<void>;
export function arePagesFresh(): Promise<boolean>;
export function digestOfPages(): Promise<string>;
export function finishPages(digest: string): Promise<void>;
