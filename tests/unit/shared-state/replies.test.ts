import { expect, test } from "vitest";
import { RedisReplies } from "../../../lib/shared-state/redis/replies";
import { createCipher } from "../../../lib/store/cipher";

const MIB = 1024 * 1024;

test("replies that wait for a slow Redis are bounded in bytes, and a reply above the bound ends its claim", async () => {
  const sent: (() => void)[] = [];
  const claims: string[] = [];
  const link = {
    isUp: true,
    prefix: "p:",
    onUp: () => undefined,
    exchange: async () => undefined,
    run: async (_what: unknown, keys: string[]) => claims.push(...keys),
    deliver: () => new Promise<void>((resolve) => sent.push(resolve)),
  };
  const cipher = createCipher({ current: "a secret of the tests, long enough", previous: [] });
  const replies = new RedisReplies(link, cipher, "one");
  const reply = "x".repeat(4 * MIB);
  for (let index = 0; index < 20; index++) replies.store("usr_1", `order-${index}`, "digest", reply);
  // Encrypted, in base64, each takes a third more.
  expect(sent).toHaveLength(12);
  expect(claims).toHaveLength(8);
  for (const done of sent.splice(0)) done();
  await new Promise((resolve) => setImmediate(resolve));
  replies.store("usr_1", "next", "digest", reply);
  expect(sent).toHaveLength(1);
  replies.close();
});
