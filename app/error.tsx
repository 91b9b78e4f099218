"use client";

import { BrokenPage } from "@/components/shell/message-page";

/** A page that threw. Loading it anew asks the server again, which a mere second rendering would not. */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
  return <BrokenPage digest={error.digest} onRetry={() => window.location.reload()} />;
}
