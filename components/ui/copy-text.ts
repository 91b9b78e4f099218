/**
 * Copies text to the clipboard. Over plain http (a console on the LAN) browsers have no clipboard API; copying a
 * selection still works there. False when both fail.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.style.position = "fixed";
  field.style.opacity = "0";
  // Inside an open dialog the focus trap would take the selection back from the body.
  const host = document.activeElement?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body;
  const focused = document.activeElement;
  host.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
