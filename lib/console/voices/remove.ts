import type { Repositories } from "../../ports/store";
import { voiceChannelId } from "./refresh";

/**
 * Deletes the channel of a folder that was removed, and its model unless another channel serves it. Returns whether the
 * model was deleted.
 */
export async function deleteVoiceRecords(tx: Repositories, name: string): Promise<boolean> {
  await tx.channels.delete(voiceChannelId(name));
  const isServed = (await tx.channels.all()).some(({ models }) =>
    models.some((model) => model.name === name),
  );
  const model = (await tx.models.all()).find((one) => one.name === name);
  return !isServed && model?.operation === "speech" && (await tx.models.delete(name));
}
