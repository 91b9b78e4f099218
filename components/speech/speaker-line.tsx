import type { SpeechCall } from "@/lib/client/speech-call";
import { hueOf } from "./speech-draft";

/** A dot in a speaker's colour, beside the name. */
export function HueDot({ index }: { index: number }) {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-2 shrink-0 rounded-full"
      style={{ backgroundColor: hueOf(index) }}
    />
  );
}

/** The voice of a call on one line, or each speaker with colour and voice. */
export function SpeakerLine({ call }: { call: SpeechCall }) {
  if (call.voices.kind === "single") {
    return (
      <span translate="no">
        {[call.voices.voice, call.speed === 1 ? null : `${call.speed}×`, call.model]
          .filter(Boolean)
          .join(" · ")}
      </span>
    );
  }
  return call.voices.speakers.map((one, index) => (
    <span key={one.name} className="inline-flex min-w-0 items-center gap-1.5">
      <HueDot index={index} />
      <span translate="no" className="truncate">
        {one.name} · {one.voice}
      </span>
    </span>
  ));
}
