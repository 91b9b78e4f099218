import { buildWorkers } from "../../lib/server/build.mjs";

/** Worker threads run bundles; tests make them anew from the sources first. */
export default async function setup(): Promise<void> {
  await buildWorkers();
}
