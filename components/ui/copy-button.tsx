"use client";

import { CheckIcon, CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, type ButtonProps } from "./button";
import { toast } from "./toast";

/**
 * Copies text to the clipboard. Over plain http (a console on the LAN) browsers have no clipboard API; copying a
 * selection still works there. False when both fail.
 */
async function copyText(text: string): Promise<boolean> {
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

/**
 * Copies `value` and confirms that on the button; a toast reports a failure. Without `label`, the button is an icon.
 */
export function CopyButton({
  value,
  label,
  name,
  onCopied,
  ...props
}: Omit<ButtonProps, "value" | "name" | "children"> & {
  value: string | (() => string);
  label?: string;
  /** Accessible name of the icon button: "Copy key". */
  name?: string;
  onCopied?(): void;
}) {
  const t = useTranslations("common");
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async () => {
    if (!(await copyText(typeof value === "function" ? value() : value))) return toast.error(t("notCopied"));
    setCopied(true);
    onCopied?.();
  };

  return (
    <>
      <Button
        variant={label ? "outline" : "ghost"}
        size={label ? "sm" : "icon-sm"}
        aria-label={label ?? name ?? t("copy")}
        {...props}
        onClick={() => void copy()}
      >
        {isCopied ? <CheckIcon /> : <CopyIcon />}
        {label ? <span>{isCopied ? t("copied") : label}</span> : null}
      </Button>
      {/* Outside the button: content of a button is only its name, so a status inside would not be announced. */}
      <span role="status" className="sr-only">
        {isCopied ? t("copied") : ""}
      </span>
    </>
  );
}
