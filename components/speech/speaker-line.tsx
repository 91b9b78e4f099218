import type { SpeechCall } from "@/lib/client/speech-call";
import { HueDot } from "./hue-dot";

/** Who speaks, in one line: a voice, or each speaker with colour and voice. */
export function CastLine({ call }: { call: SpeechCall }) {
  if (call.cast.kind === "single") {
    return (
      <span translate="no">
        {[call.cast.voice, call.speed === 1 ? null : `${call.speed}×`].filter(Boolean).join(" · ")}
      </span>
    );
  }
  return call.cast.speakers.map((one, index) => (
    <span key={one.name} className="inline-flex min-w-0 items-center gap-1.5">
      <HueDot index={index} />
      <span translate="no" className="truncate">
        {one.name} · {one.voice}
      </span>
    </span>
  ));
}
