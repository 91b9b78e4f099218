/** Whether the state that all instances share can be reached. */
export interface SharedStateHealth {
  isUp: boolean;
  /** Why not, and since when in wall-clock milliseconds; null while it can. */
  reason: string | null;
  since: number | null;
  /** Times it was lost within the last minute. */
  recentOutages: number;
}
