/** Moves the focus off a row that is about to be removed: to `target` in the next or previous row, else to `last`. */
export function leaveRow(row: Element | null, target: string, last: HTMLElement | null | undefined): void {
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  (next?.querySelector<HTMLElement>(target) ?? last)?.focus();
}
