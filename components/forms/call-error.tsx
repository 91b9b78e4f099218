"use client";

import { ErrorState } from "../ui/error-state";
import { useErrorText } from "./error-text";

/** The error of a failed API call, with its request ID. Renders nothing without an error. */
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
  const errorText = useErrorText();
  if (!error) return null;
  const { message, requestId } = errorText(error);
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
