"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { PasswordInput } from "../forms/password-input";
import { ProofError } from "../forms/proof-error";
import { Button } from "../ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "../ui/dialog";

/** Asks for the owner's password before a sensitive change; `children` are fields above the password. */
export function PasswordDialog({
  title,
  text,
  action,
  onProof,
  onClose,
  children,
}: {
  title: string;
  text: string;
  action: string;
  onProof(password: string): Promise<void>;
  onClose(): void;
  children?: ReactNode;
}) {
  const t = useTranslations("settings.proof");
  const common = useTranslations("common");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const prove = async () => {
    setBusy(true);
    setError(null);
    try {
      await onProof(password);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent className="max-w-md">
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>{text}</DialogDescription>
        </DialogHeader>
        <Form
          noValidate
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (password !== "" && !isBusy) void prove();
          }}
        >
          <ProofError error={error} wrong={t("wrong")} />
          {children}
          <Field label={t("password")}>
            {(control) => (
              <PasswordInput
                {...control}
                value={password}
                onChange={(event) => setPassword(event.target.value)}
                autoComplete="current-password"
              />
            )}
          </Field>
          <DialogFooter>
            <Button variant="outline" onClick={onClose}>
              {common("cancel")}
            </Button>
            <Button type="submit" isBusy={isBusy} disabled={password === ""}>
              {action}
            </Button>
          </DialogFooter>
        </Form>
      </DialogContent>
    </Dialog>
  );
}
