"use client";

import { ErrorState } from "../ui/error-state";
import { useErrorText } from "./error-text";

/** A failed call, shown where it was made. */
export function CallError({
  error,
  title,
  onRetry,
  className,
}: {
  error: unknown;
  title?: string;
  onRetry?(): void;
  className?: string;
}) {
  const tell = useErrorText();
  if (!error) return null;
  const { message, requestId } = tell(error);
  return (
    <ErrorState
      title={title}
      message={message}
      requestId={requestId}
      onRetry={onRetry}
      className={className}
    />
  );
}
