"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { authOf, type Operation } from "@/components/api-docs/openapi/document";
import {
  type ExampleModels,
  exampleBody,
  exampleParameters,
  pathWith,
  streamQuery,
} from "@/components/api-docs/openapi/example";
import { type TryReply, type TryRequest, tryCall } from "@/components/api-docs/openapi/try-call";
import { GatewayError } from "@/lib/client/gateway-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { TextField, VERBATIM } from "../forms/text-field";
import { Button } from "../ui/button";
import { Textarea } from "../ui/input";
import { Notice } from "../ui/notice";
import { SegmentedControl } from "../ui/segmented-control";
import { TryReplyView } from "./try-reply-view";

/** The user's own key, kept in memory for the other endpoints of this visit. */
let pastedKey = "";

type KeySource = "playground" | "own";
type Outcome = { reply: TryReply } | { error: string };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface TryProps {
  operation: Operation;
  models: ExampleModels;
}

/** Sends a request from the page, with the session or with an API key. */
export function TryPanel({ operation, models }: TryProps) {
  const t = useTranslations("apiDocs.try");
  const isGateway = operation.surface === "openai" || operation.surface === "gemini";
  if (!isGateway && operation.replyTypes.includes("text/event-stream"))
    return (
      <Notice tone="info" title={t("title")}>
        {t("endless")}
      </Notice>
    );
  // Console changes are made on the console's pages, which ask for confirmation.
  if (!isGateway && operation.method !== "GET")
    return (
      <Notice tone="info" title={t("title")}>
        {t("notHere")}
      </Notice>
    );
  return <TryForm operation={operation} models={models} isGateway={isGateway} />;
}

/** The state of the form, and the request it sends. */
function useTryRequest(operation: Operation, models: ExampleModels, isGateway: boolean) {
  const t = useTranslations("apiDocs.try");
  const [values, setValues] = useState(() => exampleParameters(operation, models));
  const [body, setBody] = useState(() => {
    const example = exampleBody(operation, models);
    return example === null ? null : JSON.stringify(example, null, 2);
  });
  const [keySource, setKeySource] = useState<KeySource>(pastedKey === "" ? "playground" : "own");
  const [ownKey, setOwnKey] = useState(pastedKey);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  const send = async () => {
    if (body !== null && !isJson(body)) return setOutcome({ error: t("badJson") });
    const missing = operation.parameters.find(
      (one) => one.in === "path" && (values[one.name] ?? "").trim() === "",
    );
    if (missing) return setOutcome({ error: t("missing", { name: missing.name }) });
    const keyAuth = keySource === "own" ? { key: ownKey.trim() } : "playground";
    const auth: TryRequest["auth"] = isGateway ? keyAuth : "session";
    const path = pathWith(operation, values, streamQuery(operation));
    setBusy(true);
    setOutcome(null);
    try {
      const request: TryRequest = { method: operation.method, path, body, auth };
      const lengths = {
        characters: (count: number) => t("characters", { count }),
        numbers: (count: number) => t("numbers", { count }),
      };
      setOutcome({ reply: await tryCall(request, lengths) });
    } catch (error) {
      const message = error instanceof GatewayError ? error.failure.message : "";
      setOutcome({ error: message || t("noAnswer") });
    } finally {
      setBusy(false);
    }
  };

  return {
    values,
    setValue: (name: string, value: string) => setValues({ ...values, [name]: value }),
    body,
    setBody,
    keySource,
    setKeySource,
    ownKey,
    setOwnKey: (key: string) => {
      pastedKey = key;
      setOwnKey(key);
    },
    isBusy,
    outcome,
    send,
  };
}

/** The message key about how a request of the console or operations API authenticates. */
function sentText(operation: Operation): "public" | "metrics" | "session" {
  switch (authOf(operation)) {
    case "none":
      return "public";
    case "metricsToken":
      return "metrics";
    default:
      return "session";
  }
}

function TryForm({ operation, models, isGateway }: TryProps & { isGateway: boolean }) {
  const t = useTranslations("apiDocs.try");
  const request = useTryRequest(operation, models, isGateway);
  const { outcome } = request;
  // Header parameters are set by the form itself or left out.
  const parameters = operation.parameters.filter((one) => one.in !== "header");
  return (
    <Form
      className="grid grid-cols-1 gap-4 rounded-md border bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void request.send();
      }}
    >
      <h4 className="text-sm font-medium">{t("title")}</h4>
      {isGateway ? (
        <KeyChoice request={request} />
      ) : (
        <p className="text-sm text-ink-muted">{t(sentText(operation))}</p>
      )}
      {parameters.length > 0 ? (
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {parameters.map(({ name, required }) => (
            <TextField
              key={name}
              label={<code>{name}</code>}
              isRequired={required}
              value={request.values[name] ?? ""}
              onChange={(event) => request.setValue(name, event.target.value)}
              {...VERBATIM}
              autoCapitalize="none"
            />
          ))}
        </div>
      ) : null}
      {request.body === null ? null : <BodyField body={request.body} onChange={request.setBody} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant={isGateway ? "signal" : "primary"} isBusy={request.isBusy}>
          {t("send")}
        </Button>
        {isGateway && operation.method === "POST" ? (
          <span className="text-sm text-ink-faint">{t("costs")}</span>
        ) : null}
      </div>
      {outcome && "error" in outcome ? <Notice tone="bad" isLive title={outcome.error} /> : null}
      {outcome && "reply" in outcome ? <TryReplyView reply={outcome.reply} /> : null}
    </Form>
  );
}

function BodyField({ body, onChange }: { body: string; onChange(body: string): void }) {
  const t = useTranslations("apiDocs.try");
  return (
    <Field label={t("body")}>
      {(control) => (
        <Textarea
          {...control}
          value={body}
          onChange={(event) => onChange(event.target.value)}
          rows={Math.min(16, body.split("\n").length + 1)}
          spellCheck={false}
          autoCapitalize="none"
          className="font-mono text-sm"
        />
      )}
    </Field>
  );
}

function KeyChoice({ request }: { request: ReturnType<typeof useTryRequest> }) {
  const t = useTranslations("apiDocs.try");
  return (
    <div className="grid gap-3">
      <SegmentedControl<KeySource>
        label={t("key")}
        value={request.keySource}
        onValueChange={request.setKeySource}
        className="w-full max-w-md"
        segments={[
          { value: "playground", label: t("playground") },
          { value: "own", label: t("own") },
        ]}
      />
      {request.keySource === "own" ? (
        <TextField
          label={t("ownLabel")}
          hint={t("ownHint")}
          className="max-w-md"
          type="password"
          value={request.ownKey}
          onChange={(event) => request.setOwnKey(event.target.value)}
          placeholder={t("ownPlaceholder")}
          {...VERBATIM}
        />
      ) : null}
    </div>
  );
}
