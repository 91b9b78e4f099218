export const playground = {
  share: "Copy link",
  shareHint: "The link contains the text and settings in its URL fragment, which is not sent to any server.",
  model: "Model",
  noModel: {
    title: "No model available",
    text: "No enabled channel serves a model for this page. {role, select, member {An administrator can add or enable a channel.} other {Add or enable a channel.}}",
    action: "Add channel",
  },
  facts: {
    label: "Request details",
    firstAudio: "Time to first audio",
    duration: "Duration",
    tokens: "Tokens",
    tokensValue: "{input} in, {output} out",
    latency: "Latency",
    cost: "Cost",
    free: "free",
    atMost: "at most {cost}",
    noPrice: "no price",
    size: "Reply size",
    channel: "Channel",
    cache: "Cache",
    unknown: "unknown",
    request: "Request ID",
    copyRequest: "Copy request ID",
  },
  failure: {
    title: "Request failed",
    code: "HTTP {status}",
    signIn: "Sign in again",
    cause: "Cause, for administrators",
    openLogs: "Open in logs",
    inLogs: "The request is in the logs.",
    rate: {
      requests: "You’ve reached your limit of {limit} requests per minute.",
      tokens: "You’ve reached your limit of {limit} tokens per minute.",
      exceeded: "This request exceeds your limit of {limit} tokens per minute.",
    },
    budget: {
      daily: {
        zero: "Your daily budget is {limit}, so every request is refused.",
        used: "You’ve used your daily budget of {limit}.",
        short: "You have {left} left of your daily budget of {limit}. This request may cost more.",
      },
      monthly: {
        zero: "Your monthly budget is {limit}, so every request is refused.",
        used: "You’ve used your monthly budget of {limit}.",
        short: "You have {left} left of your monthly budget of {limit}. This request may cost more.",
      },
      total: {
        zero: "Your budget is {limit}, so every request is refused.",
        used: "You’ve used your budget of {limit}.",
        short: "You have {left} left of your budget of {limit}. This request may cost more.",
      },
      resets:
        "Resets at {when}. {role, select, member {An administrator} other {The owner}} can raise it earlier.",
      raise: "{role, select, member {An administrator} other {The owner}} can raise it.",
      noReset: "It doesn’t reset. {role, select, member {An administrator} other {The owner}} can raise it.",
    },
    advice: {
      offline:
        "The server did not respond. Check your connection and that the server is running, then retry.",
      "sign-in": "Your session may have expired. Sign in again; your text stays here.",
      "not-allowed":
        "Reload the page. If this continues, an administrator should check the proxy in front of the server.",
      "unknown-model":
        "The model was deleted or renamed, or its channel names a model that the upstream does not have. Choose another model.",
      input: "Change the text or the settings, then retry.",
      "too-large": "Send less text at once.",
      wait: "Wait {seconds, plural, =0 {a moment} one {# second} other {# seconds}}, then retry.",
      "raise-limit": "{role, select, member {An administrator} other {The owner}} can raise the limit.",
      budget:
        "The budget is used up. {role, select, member {An administrator} other {The owner}} can raise it. Daily and monthly budgets reset automatically.",
      "no-channel":
        "No channel can serve the model right now. Retry in a moment. Administrators can see the cause.",
      upstream: "The upstream returned an error or timed out. If this continues, choose another model.",
      cut: "The audio ended early. Retry for the full audio.",
      server: "Internal server error. The server log has the cause under the request ID.",
    },
  },
  code: {
    title: "Code",
    hint: "Set <variable>{name}</variable> to one of your API keys.",
  },
};
