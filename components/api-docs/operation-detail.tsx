"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { type OpenApiDocument, type Operation, resolve } from "@/components/api-docs/openapi/document";
import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { type SchemaRow, schemaRows, typeOf } from "@/components/api-docs/openapi/schema-rows";
import { CodeTabs } from "../playground/code-tabs";
import { Button } from "../ui/button";
import { operationSamples } from "./openapi/samples";
import { SchemaTable } from "./schema-table";
import { TryPanel } from "./try-panel";

interface OperationDetailProps {
  document: OpenApiDocument;
  operation: Operation;
  origin: string;
  models: ExampleModels;
}

/** Parameters, body and response of an endpoint, the request as curl, and the form that sends it. */
export function OperationDetail(props: OperationDetailProps) {
  const t = useTranslations("apiDocs");
  const { operation, origin, models } = props;
  const [isTryOpen, setTryOpen] = useState(false);
  return (
    <div className="grid grid-cols-1 gap-6 border-t bg-sunken/40 px-4 py-5 md:pl-11">
      <div className="grid grid-cols-1 gap-6">
        <div className="grid min-w-0 grid-cols-1 content-start gap-6">
          <Schemas {...props} />
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-2">
          <h4 className="text-sm font-medium">{t("operation.example")}</h4>
          <CodeTabs samples={operationSamples(operation, origin, models)} />
        </div>
      </div>
      {isTryOpen ? (
        <TryPanel operation={operation} models={models} />
      ) : (
        <Button variant="outline" className="w-fit" onClick={() => setTryOpen(true)}>
          {t("try.open")}
        </Button>
      )}
    </div>
  );
}

/** What the endpoint accepts and what it answers. */
function Schemas(props: OperationDetailProps) {
  const t = useTranslations("apiDocs");
  const { document, operation } = props;
  const error = operation.error === null ? null : resolve(document, operation.error);
  const others = operation.replyTypes.filter((type) => type !== "application/json");
  return (
    <>
      {operation.parameters.length > 0 ? (
        <SchemaTable title={t("operation.parameters")} rows={parameterRows(props, t)} />
      ) : null}
      {operation.body ? (
        <SchemaTable
          title={t("operation.body")}
          rows={schemaRows(document, operation.body)}
          empty={t("operation.noBody")}
        />
      ) : null}
      {operation.reply ? (
        <SchemaTable
          title={t("operation.reply")}
          rows={schemaRows(document, operation.reply)}
          isReply
          empty={t("operation.anything")}
        />
      ) : null}
      {others.length > 0 ? (
        <div className="grid gap-1.5">
          <h4 className="text-sm font-medium">{t("operation.replyTypes")}</h4>
          <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
            {others.map((type) => (
              <code key={type}>{type}</code>
            ))}
          </p>
        </div>
      ) : null}
      {error ? (
        <SchemaTable title={t("operation.error")} rows={schemaRows(document, error)} isCollapsed isReply />
      ) : null}
    </>
  );
}

function parameterRows(
  { document, operation }: OperationDetailProps,
  t: ReturnType<typeof useTranslations<"apiDocs">>,
): SchemaRow[] {
  return operation.parameters.map((parameter) => ({
    path: parameter.name,
    depth: 0,
    type: parameter.schema ? typeOf(document, parameter.schema) : "string",
    isRequired: parameter.required ?? false,
    rules: [t(`operation.${parameter.in}`)],
    description: parameter.description ?? parameter.schema?.description ?? "",
  }));
}
