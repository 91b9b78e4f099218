"use client";

import { XIcon } from "lucide-react";
import { useTranslations } from "use-intl";
import { Button } from "../ui/button";
import { leaveRow } from "../ui/leave-row";
import { type Candidate, MAX_CANDIDATES, toggleCandidate } from "./candidates";

/** The voices of a comparison. They are chosen in the list below, model by model. */
export function CandidateList({
  candidates,
  onChange,
}: {
  candidates: readonly Candidate[];
  onChange(candidates: Candidate[]): void;
}) {
  const t = useTranslations("speech.comparison");
  return (
    <section aria-label={t("chosen")} className="grid gap-2 border-b p-3">
      {candidates.length > 0 ? (
        <ul className="grid gap-1">
          {candidates.map((one) => (
            <li
              key={`${one.model}|${one.voice}`}
              className="flex items-center gap-2 rounded-sm bg-sunken pl-3 text-sm"
            >
              <span translate="no" className="truncate font-medium">
                {one.voice}
              </span>
              <span translate="no" className="ml-auto truncate font-mono text-ink-muted">
                {one.model}
              </span>
              <Button
                variant="ghost"
                size="icon-sm"
                aria-label={t("remove", { ...one })}
                onClick={({ currentTarget }) => {
                  leaveRow(currentTarget.closest("li"), "button", document.getElementById("content"));
                  onChange(toggleCandidate(candidates, one));
                }}
              >
                <XIcon />
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <p className="text-sm text-ink-muted">
        {candidates.length >= MAX_CANDIDATES ? t("most", { count: MAX_CANDIDATES }) : t("hint")}
      </p>
    </section>
  );
}
