import { CopyButton } from "../ui/copy-button";
import { Notice } from "../ui/notice";

export type SecretLabels = Readonly<Record<"copy" | "once" | "onceText", string>>;

/** A secret with a copy button, and a notice that it is shown only once. */
export function SecretBox({
  secret,
  name,
  labels,
  onCopied,
}: {
  secret: string;
  /** The `data-testid` of the secret. */
  name: string;
  labels: SecretLabels;
  onCopied?(): void;
}) {
  return (
    <div className="grid gap-3">
      <div className="flex flex-col gap-3 rounded-md border border-line-strong/60 bg-sunken p-3 sm:flex-row sm:items-center sm:gap-2 sm:py-2 sm:pr-2 sm:pl-4">
        <code data-testid={name} className="secret-text min-w-0 flex-1 break-all text-base select-all">
          {secret}
        </code>
        <CopyButton value={secret} label={labels.copy} onCopied={onCopied} />
      </div>
      <Notice tone="warn" title={labels.once}>
        {labels.onceText}
      </Notice>
    </div>
  );
}
