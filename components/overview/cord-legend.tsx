import { useTranslations } from "use-intl";
import { STROKES } from "./cords";

/** What the cords' looks mean; the list for those who hear the page says it in words. */
export function CordLegend() {
  const t = useTranslations("overview.bay.legend");
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-muted">
      {(["carries", "breaks", "idle"] as const).map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <svg viewBox="0 0 18 4" className="h-1 w-4.5" aria-hidden="true">
            <path
              d="M1 2H17"
              strokeWidth={state === "idle" ? 1.5 : 3}
              strokeLinecap={STROKES[state].cap}
              strokeDasharray={STROKES[state].dashes}
              className={STROKES[state].colour}
            />
          </svg>
          {t(state)}
        </li>
      ))}
    </ul>
  );
}
