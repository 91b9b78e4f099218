/** The logo: six jacks and one cord. */
function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" className="size-6 shrink-0">
      <g className="stroke-ink-faint" strokeWidth="1.5">
        {[4, 12, 20].map((x) => (
          <g key={x}>
            <circle cx={x} cy="5" r="2.25" />
            <circle cx={x} cy="19" r="2.25" />
          </g>
        ))}
      </g>
      <path d="M4 5c0 10 16 4 16 14" className="stroke-signal" strokeWidth="2.25" strokeLinecap="round" />
      <circle cx="4" cy="5" r="2.75" className="fill-signal" />
      <circle cx="20" cy="19" r="2.75" className="fill-signal" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <Mark />
      <span translate="no" className="text-lg font-medium tracking-tight">
        Patchbay
      </span>
    </span>
  );
}
