import { upstreamSpeechContract } from "../../contracts/upstream-speech";

upstreamSpeechContract({
  provider: "openai",
  failures: {
    mp3: "upstream_invalid",
    undelimited: "upstream_invalid",
    "identity-coded": "upstream_invalid",
    "garbage-json": "upstream_invalid",
  },
});

upstreamSpeechContract({
  provider: "openai",
  options: { stream_format: "sse" },
  failures: {
    "end-at-chunk-0": "upstream_truncated",
    empty: "upstream_truncated",
    "not-utf8": "upstream_invalid",
  },
});

upstreamSpeechContract({
  provider: "gemini",
  failures: {
    "no-candidates": "upstream_invalid",
    "end-at-chunk-0": "upstream_invalid",
    "not-utf8": "upstream_invalid",
    "error-at-chunk-0": "upstream_error",
  },
});

upstreamSpeechContract({
  provider: "gemini",
  options: { streaming: false },
  streams: false,
  failures: {
    "no-candidates": "upstream_invalid",
    "garbage-json": "upstream_invalid",
    "not-utf8": "upstream_invalid",
  },
});

upstreamSpeechContract({
  provider: "elevenlabs",
  failures: {
    mp3: "upstream_invalid",
    undelimited: "upstream_invalid",
    "identity-coded": "upstream_invalid",
  },
});
