import { expect, test } from "vitest";
import { modelsOnlyOn } from "@/components/channels/channel-dialogs";
import type { Model } from "@/lib/contracts/console/models";

type Route = Model["channels"][number];

const route = (id: string, enabled = true): Route => ({
  id,
  name: id,
  priority: 1,
  enabled,
  embedded: false,
  state: "closed",
  use: "none",
});

test("names the models that no enabled channel serves once a channel is deleted", () => {
  const models = [
    { name: "alone", channels: [route("chn_a")] },
    { name: "with-disabled", channels: [route("chn_b", false), route("chn_a")] },
    { name: "with-other", channels: [route("chn_a"), route("chn_b")] },
    { name: "elsewhere", channels: [route("chn_b")] },
    { name: "without", channels: [] },
  ];
  expect(modelsOnlyOn("chn_a", models)).toEqual(["alone", "with-disabled"]);
});
