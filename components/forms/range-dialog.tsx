"use client";

import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { MAX_RANGE_MS, type Range, setRangeInUrl } from "@/lib/client/range";
import { DAY_MS } from "@/lib/contracts/durations";
import { Button } from "../ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "../ui/popover";
import { Form } from "./form";
import { RangeTrigger } from "./range-trigger";
import { TextField } from "./text-field";

/** `2026-11-20T14:05` in the user's time zone: the value of a datetime-local field. */
function toLocal(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The popover of a custom range; loaded when it is first opened. */
export function RangeDialog({ range }: { range: Range }) {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <Popover open={isOpen} onOpenChange={setIsOpen}>
      <PopoverTrigger asChild>
        <RangeTrigger range={range} />
      </PopoverTrigger>
      <PopoverContent align="end">
        <RangeForm range={range} onDone={() => setIsOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

function RangeForm({ range, onDone }: { range: Range; onDone(): void }) {
  const t = useTranslations("common.range");
  const fieldError = useTranslations("common.fieldError");
  const [from, setFrom] = useState(() => toLocal(range.from));
  const [to, setTo] = useState(() => toLocal(range.to));
  const [error, setError] = useState<{ from?: string; to?: string }>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Text without a time zone is parsed in the user's.
    const span = { from: Date.parse(from), to: Date.parse(to) };
    if (Number.isNaN(span.from)) return setError({ from: fieldError("required") });
    if (Number.isNaN(span.to)) return setError({ to: fieldError("required") });
    if (span.from >= span.to) return setError({ to: t("wrongOrder") });
    if (span.to - span.from > MAX_RANGE_MS)
      return setError({ to: t("tooLong", { days: MAX_RANGE_MS / DAY_MS }) });
    setRangeInUrl(span);
    onDone();
  };
  return (
    <Form
      aria-label={t("customTitle")}
      className="grid gap-3"
      onChange={() => setError({})}
      onSubmit={submit}
      noValidate
    >
      <TextField
        label={t("from")}
        error={error.from}
        type="datetime-local"
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        label={t("to")}
        error={error.to}
        type="datetime-local"
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit">{t("apply")}</Button>
    </Form>
  );
}
