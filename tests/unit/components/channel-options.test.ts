import { describe, expect, test } from "vitest";
import {
  invalidOptions,
  optionFields,
  readOptions,
  writeOptions,
} from "@/components/channels/channel-options";
import { OPTION_SHAPES } from "@/lib/contracts/console/channel-options";

/** Options with a control of their own in the form, and the old name of `batching`. */
const ELSEWHERE = ["voices", "batching", "coalescing"];

describe.each(Object.entries(OPTION_SHAPES))("the option fields of %s", (provider, shape) => {
  test("cover every option of the contract", () => {
    const names = new Set(optionFields(provider).map((field) => field.name.split(".", 1)[0]));
    expect([...names].sort()).toEqual(
      Object.keys(shape)
        .filter((name) => !ELSEWHERE.includes(name))
        .sort(),
    );
  });

  test("offer only choices that the contract accepts", () => {
    for (const field of optionFields(provider)) {
      if (field.kind !== "choice") continue;
      const schema = Object.entries(shape).find(([name]) => name === field.name)?.[1];
      for (const value of field.values) expect(schema?.safeParse(value).success, `${value}`).toBe(true);
    }
  });
});

test("the options form writes the options that it reads, without incomplete voices", () => {
  const options = {
    voice_settings: { stability: 0.5, use_speaker_boost: false },
    sample_rate: 44_100,
    enable_logging: false,
    max_batch: 16,
    voices: { alloy: "Rachel", "*": "Adam" },
  };
  const { texts, voices } = readOptions("elevenlabs", options);
  const pairs = voices.map((pair, index) => ({ ...pair, id: String(index) }));
  expect(writeOptions("elevenlabs", texts, pairs)).toEqual(options);
  expect(writeOptions("elevenlabs", {}, [{ id: "1", name: "alloy", value: " " }])).toEqual({});
});

test.each([
  ["elevenlabs", { "voice_settings.style": "1.5" }, ["voice_settings.style"]],
  ["elevenlabs", { "voice_settings.style": "half" }, ["voice_settings.style"]],
  ["openai", { max_batch: "2.5" }, ["max_batch"]],
  ["openai", { azure_api_version: "latest", ca: "none" }, ["azure_api_version", "ca"]],
  ["openai", { azure_api_version: "2024-10-21-preview", max_batch: "2048" }, []],
] as const)("the options form of %s, filled with %j, reports %j as invalid", (provider, texts, names) => {
  expect(invalidOptions(provider, texts).map((field) => field.name)).toEqual(names);
});
