"use client";

import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { RadioCards } from "../ui/radio-cards";
import type { SetupDraft } from "./draft";
import { StepActions, StepBody } from "./wizard-frame";

const USAGES = ["self", "team", "demo"] as const;

export function UsageStep({
  usage,
  onUsage,
  onNext,
  onBack,
}: {
  usage: SetupDraft["usage"];
  onUsage(usage: SetupDraft["usage"]): void;
  onNext(): void;
  onBack(): void;
}) {
  const t = useTranslations("setup.usage");
  const common = useTranslations("common");
  return (
    <StepBody title={t("title")} text={t("text")}>
      <RadioCards
        label={t("title")}
        value={usage}
        onValueChange={onUsage}
        cards={USAGES.map((value) => ({ value, title: t(value), description: t(`${value}Text`) }))}
      />
      <StepActions onBack={onBack}>
        <Button size="lg" onClick={onNext}>
          {common("next")}
        </Button>
      </StepActions>
    </StepBody>
  );
}
