"use client";

import { ErrorPage } from "@/components/shell/message-page";

/** Error boundary of every page. Retry reloads the page, because `reset()` would not request its data again. */
export default function ErrorBoundary({ error }: { error: Error & { digest?: string } }) {
  return <ErrorPage digest={error.digest} onRetry={() => window.location.reload()} />;
}
