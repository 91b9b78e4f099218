import type { WebhookMessage } from "../../contracts/console/alerts";

/** Slack's limits in characters: a header block, and the text of a section. */
const MOST_HEADER = 150;
const MOST_TEXT = 3_000;

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
const plain = (text: string, most: number) => ({
  type: "plain_text" as const,
  text: text.length > most ? `${text.slice(0, most - 1)}…` : text,
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
      { type: "header", text: plain(heading, MOST_HEADER) },
      { type: "section", text: plain(message, MOST_TEXT) },
      { type: "context", elements: [plain(`Patchbay · ${at}`, MOST_HEADER)] },
    ],
  };
}
