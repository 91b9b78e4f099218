import type { WebhookMessage } from "../../contracts/console/alerts";

/** Slack's limits in characters: a header block, and the text of a section. */
const MAX_HEADER_CHARACTERS = 150;
const MAX_TEXT_CHARACTERS = 3_000;

const HEADINGS: Readonly<Record<WebhookMessage["kind"], string>> = {
  channel_open: "Channel down",
  error_rate: "High error rate",
  budget_nearly_spent: "Budget nearly spent",
  budget_spent: "Budget spent",
  disk: "Disk almost full",
  second_server: "Several servers on one database file",
  redis: "Redis does not answer",
  test: "Test message",
};

/** `{type: "plain_text"}`: Slack reads no mentions, links or markup in it. */
const plain = (text: string, maxCharacters: number) => ({
  type: "plain_text" as const,
  text: text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text,
  emoji: false,
});

/**
 * Text without a mention or link: `text` of a message is markup in Slack (`<!channel>`, `<url|label>`), and receivers
 * with the same interface read `@all` and Markdown in it. Names of keys and channels are user input.
 */
function withoutMarkup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200b")
    .replaceAll("](", "]\u200b(");
}

/**
 * A message as Slack's incoming webhooks take it: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * `text` is what notifications, and receivers without blocks, show.
 */
export function slackMessage({ kind, state, message, at }: WebhookMessage) {
  const heading = `${state === "resolved" ? "Resolved: " : ""}${HEADINGS[kind]}`;
  return {
    text: withoutMarkup(`Patchbay: ${heading}. ${message}`),
    blocks: [
      { type: "header", text: plain(heading, MAX_HEADER_CHARACTERS) },
      { type: "section", text: plain(message, MAX_TEXT_CHARACTERS) },
      { type: "context", elements: [plain(`Patchbay · ${at}`, MAX_HEADER_CHARACTERS)] },
    ],
  };
}
