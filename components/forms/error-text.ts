"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { isApiError } from "@/lib/client/api-error";

/** The message and request ID of a failed API call; the server's message if it sent one. */
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
