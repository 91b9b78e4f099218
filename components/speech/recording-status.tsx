"use client";

import { useTranslations } from "use-intl";
import { useAmounts } from "../charts/use-amounts";
import type { Recording } from "./use-recorder";

/** The state of the newest call, for screen-reader users. */
export function RecordingStatus({ recording }: { recording: Recording }) {
  const t = useTranslations("speech.status");
  const show = useAmounts();
  const text = () => {
    switch (recording.kind) {
      case "idle":
        return "";
      case "calling":
        return t("calling");
      case "arriving":
        return t("arriving", { time: show.ms(recording.firstAudioMs) });
      case "done":
        return t(recording.take.state === "complete" ? "ready" : "stopped", {
          duration: show.ms(recording.take.durationMs),
        });
      case "failed":
        return t("failed");
    }
  };
  return (
    <p role="status" className="sr-only">
      {text()}
    </p>
  );
}
