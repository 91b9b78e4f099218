"use client";

import { EyeIcon, EyeOffIcon } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { Input } from "../ui/input";
import { AS_TYPED } from "./text-field";

/** A password field with a button that shows its text. Password managers need `autoComplete`. */
export function PasswordInput(
  props: ComponentProps<"input"> & { autoComplete: "current-password" | "new-password" },
) {
  const t = useTranslations("common");
  const [isShown, setShown] = useState(false);
  return (
    <span className="relative block">
      <Input {...props} type={isShown ? "text" : "password"} {...AS_TYPED} className="pr-11" />
      <Button
        variant="ghost"
        size="icon-sm"
        className="absolute inset-y-0.5 right-0.5 h-auto"
        aria-label={isShown ? t("hidePassword") : t("showPassword")}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOffIcon /> : <EyeIcon />}
      </Button>
    </span>
  );
}
