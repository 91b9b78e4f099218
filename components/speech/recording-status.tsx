"use client";

import { useTranslations } from "use-intl";
import { useQuantities } from "../charts/use-quantities";
import type { Recording } from "./use-recorder";

/** The state of the newest call, for screen-reader users. */
export function RecordingStatus({ recording }: { recording: Recording }) {
  const t = useTranslations("speech.status");
  const show = useQuantities();
  const text = () => {
    switch (recording.kind) {
      case "idle":
        return "";
      case "calling":
        return t("calling");
      case "arriving":
        return t("arriving", { time: show.duration(recording.firstAudioMs) });
      case "done":
        return t(recording.take.state === "complete" ? "ready" : "stopped", {
          duration: show.duration(recording.take.durationMs),
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
