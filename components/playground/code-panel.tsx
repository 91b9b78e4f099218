"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import type { CodeSample } from "@/lib/client/code-samples";
import { CopyButton } from "../ui/copy-button";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "../ui/tabs";
import { CodeFrame } from "./code-frame";
import { HighlightedCode } from "./highlighted-code";

/** The call of the page as code, one tab per language. The key is read from the environment. */
export function CodePanel({ samples }: { samples: readonly CodeSample[] }) {
  const t = useTranslations("playground.code");
  const [chosen, setChosen] = useState<string>("curl");
  const shown = samples.find((one) => one.id === chosen) ?? samples[0];
  return (
    <CodeFrame>
      <Tabs value={shown?.id ?? ""} onValueChange={setChosen} className="min-w-0">
        <TabsList aria-label={t("language")}>
          {samples.map((sample) => (
            <TabsTrigger key={sample.id} value={sample.id}>
              {sample.title}
            </TabsTrigger>
          ))}
        </TabsList>
        {samples.map((sample) => (
          <TabsContent key={sample.id} value={sample.id} className="pt-3">
            <section
              aria-label={`${t("title")}: ${sample.title}`}
              className="relative min-w-0 rounded-md border bg-sunken"
            >
              <pre
                // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be focusable
                tabIndex={0}
                className="max-h-96 overflow-auto p-4 pr-12 text-sm leading-5"
              >
                <code translate="no">
                  <HighlightedCode sample={sample} />
                </code>
              </pre>
              <CopyButton
                value={sample.code}
                name={t("copy")}
                className="absolute top-1.5 right-1.5 bg-sunken"
              />
            </section>
          </TabsContent>
        ))}
      </Tabs>
    </CodeFrame>
  );
}
