"use client";

import { useMemo, useState } from "react";
import type { GatewayModel } from "@/lib/client/gateway-models";
import type { Comparison } from "./comparison";
import { type FocusStore, useFocus } from "./focus-store";
import { compareRanks, differencesOf } from "./rank-differences";
import { cosines, dotProducts, type SquareMatrix } from "./similarity";
import { callModel, useAbortableRun } from "./use-comparison";

/** Neighbours of each text that are compared. */
const TOP = 5;

/** Vectors of the same texts by another model. */
interface SecondModel {
  /** The comparison whose texts these are. */
  of: Comparison;
  model: string;
  cosines: SquareMatrix;
}

/** Embeds the texts of a comparison with a second model and compares the neighbours that both give. */
export function useModelComparison(
  comparison: Comparison,
  models: readonly GatewayModel[],
  focus: FocusStore,
) {
  const others = models.filter((one) => one.name !== comparison.call.model);
  const [chosen, setChosen] = useState("");
  const model = others.find((one) => one.name === chosen)?.name ?? others[0]?.name ?? "";
  const [loaded, setLoaded] = useState<SecondModel | null>(null);
  const { status, run, stop } = useAbortableRun();
  // A new comparison of the texts makes the second model's vectors outdated.
  const second = loaded?.of === comparison ? loaded : null;
  const count = comparison.cosines.count;
  const top = Math.min(TOP, count - 1);

  const start = () =>
    run("texts", async (signal) => {
      const call = { ...comparison.call, model, dimensions: null };
      const reply = await callModel(call, signal);
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve));
      setLoaded({
        of: comparison,
        model,
        cosines: cosines(await dotProducts(reply.vectors, { signal, pause })),
      });
    });

  const differences = useMemo(
    () => (second ? differencesOf(comparison.cosines, second.cosines, top) : []),
    [comparison, second, top],
  );
  const pinned = useFocus(focus, (state) => state.pinned?.row ?? null);
  const row = pinned ?? differences[0]?.index ?? 0;
  const ranks = useMemo(
    () => (second ? compareRanks(comparison.cosines, second.cosines, row, top) : null),
    [comparison, second, row, top],
  );
  return {
    others,
    model,
    setChosen,
    status,
    isRunning: status.kind === "calling",
    start,
    stop,
    second,
    top,
    row,
    ranks,
    differences,
    /** Share (0–1) of the nearest neighbours that both models have, over all texts. */
    overlap: differences.reduce((sum, one) => sum + one.shared, 0) / Math.max(1, count * top),
  };
}
