"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import type { CodeSample } from "@/lib/client/code-samples";
import { HighlightedCode } from "../playground/highlighted-code";
import { CopyButton } from "../ui/copy-button";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "../ui/tabs";
import type { Operation } from "./openapi/document";
import type { ExampleModels } from "./openapi/example";
import { operationSamples } from "./openapi/samples";

/** The language chosen last, for the other endpoints of this visit. */
let chosenLanguage: CodeSample["id"] = "curl";

/** The request of an endpoint as code, one tab per language. */
export function OperationSamples({
  operation,
  origin,
  models,
}: {
  operation: Operation;
  origin: string;
  models: ExampleModels;
}) {
  const t = useTranslations("apiDocs.operation");
  const [chosen, setChosen] = useState<string>(chosenLanguage);
  const samples = operationSamples(operation, origin, models);
  const shown = samples.find((one) => one.id === chosen) ?? samples[0];
  return (
    <Tabs
      value={shown?.id ?? ""}
      onValueChange={(id) => {
        setChosen(id);
        chosenLanguage = samples.find((one) => one.id === id)?.id ?? "curl";
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
          {/* Not a section: a landmark for each sample would hide the useful ones. */}
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
          <div
            role="group"
            aria-label={`${t("example")}: ${sample.title}`}
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
              name={t("copyExample")}
              className="absolute top-1.5 right-1.5 bg-sunken"
            />
          </div>
        </TabsContent>
      ))}
    </Tabs>
  );
}
