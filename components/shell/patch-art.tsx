const COLUMNS = [0, 1, 2, 3, 4, 5, 6];
const ROWS = [0, 1, 2, 3, 4, 5, 6, 7];
const STEP = 56;
const CORDS = [
  { from: [1, 1], to: [5, 4], isLive: true },
  { from: [4, 0], to: [2, 5], isLive: false },
  { from: [0, 3], to: [3, 7], isLive: false },
  { from: [6, 2], to: [4, 6], isLive: false },
] as const;

const at = (index: number) => index * STEP + STEP / 2;

/** Decorative drawing of a patch bay: jacks and cords, one of them highlighted. */
export function PatchArt() {
  const plugged = new Set(CORDS.flatMap((cord) => [cord.from.join(), cord.to.join()]));
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${COLUMNS.length * STEP} ${ROWS.length * STEP}`}
      fill="none"
      className="h-auto w-full max-w-lg"
    >
      {ROWS.flatMap((row) =>
        COLUMNS.map((column) => (
          <g key={`${column},${row}`} transform={`translate(${at(column)} ${at(row)})`}>
            <circle r="11" className="stroke-line" strokeWidth="1.5" />
            <circle
              r="5.5"
              className={plugged.has(`${column},${row}`) ? "fill-line" : "fill-hover stroke-line"}
            />
          </g>
        )),
      )}
      {CORDS.map((cord) => {
        const [x1, y1, x2, y2] = [at(cord.from[0]), at(cord.from[1]), at(cord.to[0]), at(cord.to[1])];
        const sag = 90;
        return (
          <g key={cord.from.join()} className={cord.isLive ? "stroke-signal" : "stroke-line-strong"}>
            <path
              d={`M${x1} ${y1}C${x1} ${y1 + sag} ${x2} ${y2 + sag} ${x2} ${y2}`}
              strokeWidth={cord.isLive ? 5 : 4}
              strokeLinecap="round"
              opacity={cord.isLive ? 1 : 0.45}
            />
            {[
              [x1, y1],
              [x2, y2],
            ].map(([x, y]) => (
              <circle
                key={`${x},${y}`}
                cx={x}
                cy={y}
                r="7"
                stroke="none"
                className={cord.isLive ? "fill-signal" : "fill-line-strong"}
              />
            ))}
          </g>
        );
      })}
    </svg>
  );
}
