"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";

/** What to tell the visitor about a failed call; the server's own words unless it had none. */
export function useErrorText(): (error: unknown) => { message: string; requestId: string | null } {
  const t = useTranslations("common.error");
  return useCallback(
    (error) => {
      if (!isApiError(error)) return { message: t("unexpected"), requestId: null };
      if (error.code === "network") return { message: t("network"), requestId: null };
      if (error.code === "unauthenticated") return { message: t("signedOut"), requestId: error.requestId };
      return { message: error.message || t("unexpected"), requestId: error.requestId };
    },
    [t],
  );
}
