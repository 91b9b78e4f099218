/** See seed-usage.mjs. */
import type { Client } from "pg";

export interface SeedOptions {
  count: number;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  population?: {
    keys: { id: string; user: string }[];
    models: { name: string; operation: "speech" | "embeddings" }[];
    channels: string[];
    tags: string[];
    endUsers: string[];
  };
  seed?: number;
  when?(share: number): number;
}
export function seedSqlite(file: string, options: SeedOptions): void;
export function seedPostgres(client: Client, options: SeedOptions): Promise<void>;
