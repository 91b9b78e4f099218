"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import type { CodeSample } from "@/lib/client/code-samples";
import { CodeBlock } from "../ui/code-block";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "../ui/tabs";
import { HighlightedCode } from "./highlighted-code";

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
