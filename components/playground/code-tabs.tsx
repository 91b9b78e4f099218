"use client";

import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import type { CodeSample } from "@/lib/client/code-samples";
import { CodeBlock } from "../ui/code-block";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "../ui/tabs";
import { highlight } from "./highlight";

/** The language chosen last, for the other samples of this visit. */
let chosenLanguage: string = "curl";

/** One call as code, a tab per language. The key is read from the environment. */
export function CodeTabs({ samples }: { samples: readonly CodeSample[] }) {
  const t = useTranslations("common.code");
  const [chosen, setChosen] = useState(chosenLanguage);
  const shown = samples.find((one) => one.id === chosen) ?? samples[0];
  return (
    <Tabs
      value={shown?.id ?? ""}
      onValueChange={(id) => {
        setChosen(id);
        chosenLanguage = id;
      }}
      className="min-w-0"
    >
      <TabsList aria-label={t("language")}>
        {samples.map((sample) => (
          <TabsTrigger key={sample.id} value={sample.id}>
            {sample.title}
          </TabsTrigger>
        ))}
      </TabsList>
      {samples.map((sample) => (
        <TabsContent key={sample.id} value={sample.id} className="pt-3">
          <CodeBlock code={sample.code} label={`${t("title")}: ${sample.title}`} copy={t("copy")}>
            <HighlightedCode sample={sample} />
          </CodeBlock>
        </TabsContent>
      ))}
    </Tabs>
  );
}

/** A sample in colours, after the command that installs what it needs. */
function HighlightedCode({ sample: { code, language, install } }: { sample: CodeSample }) {
  const pieces = useMemo(() => {
    const comment = language === "python" || language === "bash" ? "#" : "//";
    return highlight(install ? `${comment} ${install}\n${code}` : code, language);
  }, [code, language, install]);
  return pieces.map(({ text, className }, at) => (
    // Pieces have no ID: the position identifies them.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <span key={at} className={className ?? undefined}>
      {text}
    </span>
  ));
}
