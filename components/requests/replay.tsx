import { PlayIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import type { UsageDetail } from "@/lib/contracts/console/usage";
import { writeEmbeddingsLink } from "../embeddings/link";
import { writeSpeechLink } from "../speech/link";
import { findNames } from "../speech/script";
import { Button } from "../ui/button";

type Replayed = Pick<UsageDetail, "operation" | "model" | "parameters" | "prompt">;

/** URL of the playground with the settings of a call, and with its text if the text was stored. */
export function replayHref({ operation, model, parameters, prompt }: Replayed): string {
  if (operation === "embeddings") {
    // Several texts are stored with a line break between them.
    const lines = prompt?.split("\n") ?? [];
    const texts = prompt === null ? [] : lines.length === parameters.inputs ? lines : [prompt];
    const call = { model, texts, dimensions: parameters.dimensions, format: "float" as const };
    return `/playground/embeddings${writeEmbeddingsLink(call, "")}`;
  }
  const { voices, language, speed } = parameters;
  const [voice = null, ...others] = voices ?? [];
  // Speakers' names are only in the text; their voices are recorded in the order in which the speakers first speak.
  const names = findNames(prompt ?? "");
  const isScript = others.length > 0 && names.length === others.length + 1;
  return `/playground/speech${writeSpeechLink({
    model,
    text: prompt ?? "",
    voices: isScript
      ? { kind: "script", speakers: names.map((name, at) => ({ name, voice: voices?.[at] ?? "" })) }
      : { kind: "single", voice: others.length > 0 ? null : voice },
    language,
    speed: speed ?? 1,
  })}`;
}

/** Opens a call in its playground. */
export function Replay({ call }: { call: UsageDetail }) {
  const t = useTranslations("requests.detail");
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <Button asChild variant="outline" size="sm">
        {/* A full load: the playground reads the fragment when it starts. */}
        <a href={replayHref(call)}>
          <PlayIcon aria-hidden="true" />
          {t("replay")}
        </a>
      </Button>
      {call.prompt === null ? <span className="text-sm text-ink-faint">{t("replayNoText")}</span> : null}
    </p>
  );
}
