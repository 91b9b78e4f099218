"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { api, sendBytes } from "@/lib/client/api";
import { MAX_ARCHIVE_BYTES, MAX_PART_BYTES, MODEL_FOLDER } from "@/lib/contracts/console/local-voices";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { Field } from "../forms/field";
import { Form } from "../forms/form";
import { FormDialog } from "../forms/form-dialog";
import { FormFooter } from "../forms/form-footer";
import { TextField, VERBATIM } from "../forms/text-field";
import { Input } from "../ui/input";
import { Progress } from "../ui/progress";

const ENDING = /\.(?:tar\.(?:bz2|gz)|tbz2?|tgz)$/;

/** The message key about a file that the server would refuse; null if the file is fine. */
function problemOf({ name, size }: File) {
  if (!ENDING.test(name)) return "wrongFile";
  if (size === 0) return "emptyFile";
  return size > MAX_ARCHIVE_BYTES ? "largeFile" : null;
}

/** Sends an archive in parts; the server installs it after the last one. */
export function UploadDialog({ onUploaded, onClose }: { onUploaded(): void; onClose(): void }) {
  const t = useTranslations("localVoices.upload");
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const [sent, setSent] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isChecked, setChecked] = useState(false);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  const fileProblem = file === null ? "noFile" : problemOf(file);
  const fileError = fileProblem === null ? undefined : t(fileProblem);
  const nameError = MODEL_FOLDER.test(name) ? undefined : t("wrongName");

  const upload = async (archive: File) => {
    const controller = new AbortController();
    stopping.current = controller;
    setError(null);
    try {
      for (let offset = 0; offset < archive.size; offset += MAX_PART_BYTES) {
        setSent(offset);
        const query = { file: archive.name, offset, total: archive.size };
        const part = archive.slice(offset, offset + MAX_PART_BYTES);
        await sendBytes(api.uploadVoice, { params: { name }, query, signal: controller.signal }, part);
      }
      onUploaded();
      onClose();
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setSent(null);
    }
  };
  return (
    <FormDialog title={t("title")} text={t("text")} isDirty={file !== null || name !== ""} onClose={onClose}>
      <Form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (file !== null && !fileError && !nameError && sent === null) void upload(file);
        }}
        noValidate
      >
        <CallError error={error} />
        <Field label={t("file")} hint={t("fileHint")} error={isChecked ? fileError : undefined}>
          {(control) => (
            <Input
              {...control}
              type="file"
              accept=".bz2,.tbz,.tbz2,.gz,.tgz"
              className="h-auto py-1.5 read-only:bg-panel pointer-coarse:h-auto"
              onChange={(event) => {
                const chosen = event.target.files?.[0] ?? null;
                setFile(chosen);
                // Suggests the archive's name, without its ending, as the model's name.
                if (chosen) setName(chosen.name.replace(ENDING, "").slice(0, 64));
              }}
            />
          )}
        </Field>
        <TextField
          label={t("name")}
          hint={t("nameHint")}
          error={isChecked ? nameError : undefined}
          value={name}
          onChange={(event) => setName(event.target.value)}
          {...VERBATIM}
        />
        {sent === null || file === null ? null : <UploadProgress sent={sent} file={file} />}
        <FormFooter action={t("action")} isBusy={sent !== null} onCancel={onClose} />
      </Form>
    </FormDialog>
  );
}

function UploadProgress({ sent, file }: { sent: number; file: File }) {
  const t = useTranslations("localVoices.upload");
  const { bytes } = useAmounts();
  return (
    <div className="grid gap-1.5">
      <Progress label={t("progress")} value={sent} max={file.size} />
      <p className="tabular text-sm text-ink-muted">
        {t("sent", { done: bytes(sent), total: bytes(file.size) })}
      </p>
    </div>
  );
}
