"use client";

import { ChevronDownIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button, type ButtonProps } from "../ui/button";

export function ExamplesTrigger(props: ButtonProps) {
  const t = useTranslations("speech.examples");
  return (
    <Button variant="ghost" size="sm" {...props}>
      {t("label")}
      <ChevronDownIcon aria-hidden="true" />
    </Button>
  );
}
