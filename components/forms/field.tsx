import { type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { Label } from "../ui/input";

/** What a control takes from its field. */
export interface ControlProps {
  id: string;
  "aria-invalid"?: true;
  "aria-describedby"?: string;
  "aria-required"?: true;
}

/** A label, a control, a hint and an error, associated for assistive technology. The child gets the control's props. */
export function Field({
  label,
  hint,
  error,
  isRequired,
  isOptional,
  className,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  isRequired?: boolean;
  isOptional?: boolean;
  className?: string;
  children(props: ControlProps): ReactNode;
}) {
  const t = useTranslations("common");
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div data-slot="field" className={cn("grid content-start gap-1.5", className)}>
      <Label htmlFor={id}>
        {label}
        {isOptional ? <span className="font-normal text-ink-faint">{t("optional")}</span> : null}
      </Label>
      {children({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": describedBy || undefined,
        "aria-required": isRequired || undefined,
      })}
      {hint ? (
        <div id={`${id}-hint`} className="text-sm text-ink-muted">
          {hint}
        </div>
      ) : null}
      <p id={`${id}-error`} role="alert" className={cn("text-sm text-bad", !error && "hidden")}>
        {error}
      </p>
    </div>
  );
}

/** An error of a part of a form that is not a single field. Renders nothing without an error. */
export function FormAlert({ error }: { error: string | undefined }) {
  return error ? (
    <p role="alert" className="text-sm text-bad">
      {error}
    </p>
  ) : null;
}
