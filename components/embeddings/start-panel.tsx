"use client";

import { ArrowRightIcon } from "lucide-react";
import { useId } from "react";
import { useTranslations } from "use-intl";
import { EXAMPLES, type Example } from "./draft";

const SIDE = 12;

/** Shown before the first call: an empty matrix and example sets. */
export function StartPanel({ count, onExample }: { count: number; onExample(example: Example): void }) {
  const t = useTranslations("embeddings");
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid min-w-0 content-start gap-6 md:col-span-1 min-[87.5rem]:col-span-2 min-[87.5rem]:grid-cols-[minmax(0,1fr)_19rem]"
    >
      <div className="relative grid place-items-center">
        <EmptyMatrix />
        <div className="col-start-1 row-start-1 grid max-w-80 gap-1 rounded-md bg-ground p-5 text-center">
          <h2 id={id} className="text-lg">
            {t(count > 0 ? "start.ready" : "start.title")}
          </h2>
          <p className="text-base text-ink-muted">
            {count > 0 ? t("start.readyText", { count }) : t("start.text")}
          </p>
        </div>
      </div>
      <div className="grid content-start gap-2">
        <h3 className="flex min-h-9 items-center text-lg">{t("start.examples")}</h3>
        <ul className="grid gap-2">
          {EXAMPLES.map((example) => (
            <li key={example}>
              <button
                type="button"
                onClick={() => onExample(example)}
                className="group flex w-full items-center gap-3 rounded-md border bg-panel px-4 py-3 text-left transition-colors hover:border-line-strong hover:bg-hover"
              >
                <span className="grid flex-1 gap-0.5">
                  <span className="font-medium">{t(`example.${example}.title`)}</span>
                  <span className="text-sm text-ink-muted">{t(`example.${example}.about`)}</span>
                </span>
                <ArrowRightIcon
                  aria-hidden="true"
                  className="size-4 shrink-0 text-ink-faint group-hover:text-ink"
                />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function EmptyMatrix() {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${SIDE} ${SIDE}`}
      className="col-start-1 row-start-1 hidden w-full max-w-136 sm:block"
    >
      {Array.from({ length: SIDE * SIDE }, (_, at) => {
        const [row, column] = [Math.floor(at / SIDE), at % SIDE];
        return (
          <circle
            key={`${row},${column}`}
            cx={column + 0.5}
            cy={row + 0.5}
            r={row === column ? 0.2 : 0.14}
            className={row === column ? "fill-line" : "fill-hover"}
          />
        );
      })}
    </svg>
  );
}
