"use client";

import { useEffect, useRef, useState } from "react";

/** Files dropped anywhere on the page; true while some hover over it. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    // Entering a child comes before leaving its parent: the page is left when all have been.
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const onOver = (event: DragEvent) => {
      // Without this the browser would open the file in the page's place.
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      take.current([...(event.dataTransfer?.files ?? [])]);
    };
    const events = [
      ["dragenter", onEnter],
      ["dragleave", onLeave],
      ["dragover", onOver],
      ["drop", onDrop],
    ] as const;
    for (const [name, listen] of events) window.addEventListener(name, listen);
    return () => {
      for (const [name, listen] of events) window.removeEventListener(name, listen);
    };
  }, []);
  return isOver;
}
