"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { Notice } from "../ui/notice";
import { StepActions, StepBody } from "./wizard-frame";

export function TokenStep({
  token,
  isFromLink,
  isWrong,
  onNext,
  onBack,
}: {
  token: string;
  isFromLink: boolean;
  isWrong: boolean;
  onNext(token: string): void;
  onBack(): void;
}) {
  const t = useTranslations("setup.token");
  const common = useTranslations("common");
  const [text, setText] = useState(token);
  const [isMissing, setMissing] = useState(false);
  const isUntouched = text === token;
  const error = isMissing ? common("fieldError.required") : isWrong && isUntouched ? t("wrong") : undefined;
  return (
    <StepBody title={t("title")} text={t("text")}>
      <Form
        className="grid gap-8"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const value = text.trim();
          setMissing(value === "");
          if (value !== "") onNext(value);
        }}
      >
        {isFromLink && isUntouched && !isWrong ? <Notice tone="good">{t("fromLink")}</Notice> : null}
        <Field label={t("label")} hint={t("where")} error={error}>
          {(control) => (
            <Input
              {...control}
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
        <StepActions onBack={onBack}>
          <Button type="submit" size="lg">
            {common("next")}
          </Button>
        </StepActions>
      </Form>
    </StepBody>
  );
}
