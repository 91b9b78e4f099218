import { type Neighbour, neighboursOf, type SquareMatrix } from "./similarity";

/** A neighbour of a text by one model and its rank by the other; ranks count from 1. */
export interface RankedNeighbour extends Neighbour {
  rank: number;
  otherRank: number;
}

interface RankDifference {
  first: RankedNeighbour[];
  second: RankedNeighbour[];
  /** Number of texts among the nearest of both models. */
  shared: number;
}

/** The `top` nearest neighbours of a text by two models, each with its rank by the other model. */
export function compareRanks(
  first: SquareMatrix,
  second: SquareMatrix,
  row: number,
  top: number,
): RankDifference {
  const [one, other] = [neighboursOf(first, row), neighboursOf(second, row)];
  const ranksOf = (neighbours: readonly Neighbour[]) =>
    new Map(neighbours.map(({ index }, at) => [index, at + 1]));
  const withRanks = (neighbours: readonly Neighbour[], others: ReadonlyMap<number, number>) =>
    neighbours
      .slice(0, top)
      .map((neighbour, at) => ({ ...neighbour, rank: at + 1, otherRank: others.get(neighbour.index) ?? 0 }));
  const ranked = withRanks(one, ranksOf(other));
  return {
    first: ranked,
    second: withRanks(other, ranksOf(one)),
    shared: ranked.filter(({ otherRank }) => otherRank <= top).length,
  };
}

interface TextDifference {
  index: number;
  shared: number;
}

/** For each text, how many of its `top` nearest neighbours both models share; fewest first. */
export function differencesOf(first: SquareMatrix, second: SquareMatrix, top: number): TextDifference[] {
  return Array.from({ length: first.count }, (_, index) => ({
    index,
    shared: compareRanks(first, second, index, top).shared,
  })).sort((a, b) => a.shared - b.shared || a.index - b.index);
}
