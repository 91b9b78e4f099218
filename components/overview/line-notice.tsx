import type { ReactNode } from "react";
import { Notice } from "../ui/notice";

/** A notice with title, text and action, in one line where they fit. */
export function LineNotice({
  tone,
  title,
  action,
  children,
}: {
  tone: "info" | "warn" | "bad";
  title: ReactNode;
  action: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Notice tone={tone}>
      <span className="-my-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="min-w-0 flex-1 basis-72 py-1">
          <span className="mr-1.5 font-medium text-ink">{title}</span> {children}
        </span>
        {action}
      </span>
    </Notice>
  );
}
