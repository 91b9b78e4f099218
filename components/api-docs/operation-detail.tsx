"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { type OpenApiDocument, type Operation, resolve } from "@/components/api-docs/openapi/document";
import type { ExampleModels } from "@/components/api-docs/openapi/example";
import { type SchemaRow, schemaRows, typeOf } from "@/components/api-docs/openapi/schema-rows";
import { CodeTabs } from "../playground/code-tabs";
import { Button } from "../ui/button";
import { cn } from "../ui/class-names";
import { operationSamples } from "./openapi/samples";
import { TryPanel } from "./try-panel";

interface OperationDetailProps {
  document: OpenApiDocument;
  operation: Operation;
  origin: string;
  models: ExampleModels;
}

/** Parameters, body and response of an endpoint, the request as code samples, and the form that sends it. */
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

/** The fields of a body, with nested fields indented. */
function SchemaTable({
  title,
  rows,
  empty,
  isCollapsed = false,
  isReply = false,
}: {
  title: string;
  rows: readonly SchemaRow[];
  empty?: string;
  /** Shows only the title until it is opened. */
  isCollapsed?: boolean;
  /** Hides "required", which says nothing in a response. */
  isReply?: boolean;
}) {
  if (isCollapsed)
    return (
      <details>
        <summary className="w-fit cursor-pointer text-sm font-medium">{title}</summary>
        <Rows title={title} rows={rows} isReply={isReply} className="mt-1.5" />
      </details>
    );
  return (
    <div className="grid min-w-0 gap-1.5">
      <h4 className="text-sm font-medium">{title}</h4>
      {rows.length === 0 ? (
        <p className="text-sm text-ink-muted">{empty}</p>
      ) : (
        <Rows title={title} rows={rows} isReply={isReply} />
      )}
    </div>
  );
}

const INDENTS = ["", "pl-4", "pl-8", "pl-12"] as const;
const CELL = "min-w-0 break-words sm:px-3 sm:py-2 sm:align-top";

/** Name, type, required, meaning and limits of each field; on a phone each row is a block of lines. */
function Rows({
  title,
  rows,
  isReply,
  className,
}: {
  title: string;
  rows: readonly SchemaRow[];
  isReply: boolean;
  className?: string;
}) {
  const t = useTranslations("apiDocs.operation");
  const hasLimits = rows.some((row) => row.rules.length > 0);
  const headings = [
    t("field"),
    t("type"),
    ...(isReply ? [] : [t("requiredHeading")]),
    t("about"),
    ...(hasLimits ? [t("limits")] : []),
  ];
  return (
    <div className={cn("overflow-hidden rounded-md border bg-panel", className)}>
      <table aria-label={title} className="block w-full text-sm sm:table">
        <thead className="hidden border-b text-xs text-ink-faint sm:table-header-group">
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col" className="px-3 py-1.5 text-left font-normal">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block divide-y sm:table-row-group">
          {rows.map((row) => (
            <Row row={row} isReply={isReply} hasLimits={hasLimits} key={row.path} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One field. */
function Row({ row, isReply, hasLimits }: { row: SchemaRow; isReply: boolean; hasLimits: boolean }) {
  const t = useTranslations("apiDocs.operation");
  return (
    <tr className="block px-3 py-2 sm:table-row">
      <th
        scope="row"
        className={cn("mr-2 inline-block text-left font-normal sm:table-cell sm:w-[26%]", CELL)}
      >
        <span className={cn("block", INDENTS[Math.min(row.depth, INDENTS.length - 1)])}>
          <code title={row.path}>{row.depth === 0 ? row.path : lastSegment(row.path)}</code>
        </span>
      </th>
      <td className={cn("mr-2 inline-block text-ink-muted sm:table-cell sm:w-[20%]", CELL)}>
        <code>{row.type}</code>
      </td>
      {isReply ? null : (
        <td className={cn("inline-block text-xs sm:table-cell sm:w-[10%] sm:pt-2.5", CELL)}>
          {row.isRequired ? (
            <span className="text-signal-ink">{t("required")}</span>
          ) : (
            <span className="hidden text-ink-faint sm:inline">{t("optional")}</span>
          )}
        </td>
      )}
      <td className={cn("block text-ink-muted empty:hidden sm:table-cell sm:empty:table-cell", CELL)}>
        {row.description}
      </td>
      {hasLimits ? (
        <td
          className={cn(
            "block text-ink-muted empty:hidden sm:table-cell sm:w-[18%] sm:empty:table-cell",
            CELL,
          )}
        >
          {row.rules.join(", ")}
        </td>
      ) : null}
    </tr>
  );
}

/** `contents[].parts` → `parts`. */
function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
