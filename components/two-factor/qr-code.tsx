"use client";

import { useEffect, useState } from "react";
import { Skeleton } from "../ui/skeleton";

/** A QR code as one SVG path, always dark on light so that cameras can read it. The encoder is loaded on demand. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ path: string; size: number } | null>(null);

  useEffect(() => {
    let isCurrent = true;
    void import("qrcode").then(({ create }) => {
      const { modules } = create(text, { errorCorrectionLevel: "M" });
      const squares: string[] = [];
      for (let row = 0; row < modules.size; row++) {
        for (let column = 0; column < modules.size; column++) {
          if (modules.get(row, column)) squares.push(`M${column} ${row}h1v1h-1z`);
        }
      }
      if (isCurrent) setCode({ path: squares.join(""), size: modules.size });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);

  if (!code) return <Skeleton className="size-48 rounded-md" />;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-3 -3 ${code.size + 6} ${code.size + 6}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border bg-qr-light"
    >
      <path d={code.path} className="fill-qr-dark" />
    </svg>
  );
}
