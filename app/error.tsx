"use client";

import { ErrorPage } from "@/components/shell/message-page";

/** A page that threw. Loading it anew asks the server again, which a mere second rendering would not. */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
  return <ErrorPage digest={error.digest} onRetry={() => window.location.reload()} />;
}
