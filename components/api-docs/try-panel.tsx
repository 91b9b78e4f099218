"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Operation } from "@/components/api-docs/openapi/document";
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
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { SegmentedControl } from "../ui/segmented-control";
import { Textarea } from "../ui/textarea";
import { TryReplyView } from "./try-reply-view";

/** A key of the visitor's own, pasted once for every address of this visit; in memory only. */
let pastedKey = "";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Makes the call from the page, as the visitor or with a key. */
export function TryPanel({ operation, models }: { operation: Operation; models: ExampleModels }) {
  const t = useTranslations("apiDocs.try");
  const isGateway = operation.surface === "openai" || operation.surface === "gemini";
  const [values, setValues] = useState(() => exampleParameters(operation, models));
  const [body, setBody] = useState(() => {
    const example = exampleBody(operation, models);
    return example === null ? null : JSON.stringify(example, null, 2);
  });
  const [whose, setWhose] = useState<"playground" | "own">(pastedKey === "" ? "playground" : "own");
  const [ownKey, setOwnKey] = useState(pastedKey);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ reply: TryReply } | { failure: string } | null>(null);

  // What the console changes has pages with their own questions; a slip here would not be asked about.
  if (!isGateway && operation.method !== "GET")
    return (
      <Notice tone="info" title={t("title")}>
        {t("notHere")}
      </Notice>
    );

  // Headers are left to programs: there is nothing to try in them.
  const parameters = operation.parameters.filter((one) => one.in !== "header");
  const missing = parameters.find((one) => one.in === "path" && (values[one.name] ?? "").trim() === "");
  const run = async () => {
    if (body !== null && !isJson(body)) return setOutcome({ failure: t("badJson") });
    if (missing) return setOutcome({ failure: t("missing", { name: missing.name }) });
    const auth: TryRequest["auth"] = !isGateway
      ? "session"
      : whose === "own"
        ? { key: ownKey.trim() }
        : "playground";
    const path = pathWith(operation, values, streamQuery(operation));
    setBusy(true);
    setOutcome(null);
    try {
      setOutcome({ reply: await tryCall({ method: operation.method, path, body, auth }) });
    } catch (error) {
      const told = error instanceof GatewayError ? error.failure.message : "";
      setOutcome({ failure: told || t("noAnswer") });
    } finally {
      setBusy(false);
    }
  };

  return (
    <Form
      className="grid grid-cols-1 gap-4 rounded-md border bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h4 className="text-sm font-medium">{t("title")}</h4>
      {isGateway ? (
        <KeyChoice
          whose={whose}
          onWhose={setWhose}
          ownKey={ownKey}
          onOwnKey={(key) => {
            pastedKey = key;
            setOwnKey(key);
          }}
        />
      ) : (
        <p className="text-sm text-ink-muted">{t("session")}</p>
      )}
      {parameters.length > 0 ? (
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {parameters.map(({ name, required }) => (
            <Field key={name} label={<code>{name}</code>} isRequired={required}>
              {(control) => (
                <Input
                  {...control}
                  value={values[name] ?? ""}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  className="font-mono"
                />
              )}
            </Field>
          ))}
        </div>
      ) : null}
      {body === null ? null : (
        <Field label={t("body")}>
          {(control) => (
            <Textarea
              {...control}
              value={body}
              onChange={(event) => setBody(event.target.value)}
              rows={Math.min(16, body.split("\n").length + 1)}
              spellCheck={false}
              autoCapitalize="none"
              className="font-mono text-sm"
            />
          )}
        </Field>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant={isGateway ? "signal" : "primary"} isBusy={isBusy}>
          {t("send")}
        </Button>
        {isGateway && operation.method === "POST" ? (
          <span className="text-sm text-ink-faint">{t("costs")}</span>
        ) : null}
      </div>
      {outcome && "failure" in outcome ? <Notice tone="bad" isLive title={outcome.failure} /> : null}
      {outcome && "reply" in outcome ? <TryReplyView reply={outcome.reply} /> : null}
    </Form>
  );
}

function KeyChoice({
  whose,
  onWhose,
  ownKey,
  onOwnKey,
}: {
  whose: "playground" | "own";
  onWhose(whose: "playground" | "own"): void;
  ownKey: string;
  onOwnKey(key: string): void;
}) {
  const t = useTranslations("apiDocs.try");
  return (
    <div className="grid gap-3">
      <SegmentedControl
        label={t("key")}
        value={whose}
        onValueChange={onWhose}
        className="w-full max-w-md"
        segments={[
          { value: "playground", label: t("playground") },
          { value: "own", label: t("own") },
        ]}
      />
      {whose === "own" ? (
        <Field label={t("ownLabel")} hint={t("ownHint")} className="max-w-md">
          {(control) => (
            <Input
              {...control}
              type="password"
              value={ownKey}
              onChange={(event) => onOwnKey(event.target.value)}
              placeholder={t("ownPlaceholder")}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      ) : null}
    </div>
  );
}
