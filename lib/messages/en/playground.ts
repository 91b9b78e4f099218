export const playground = {
  share: "Copy link",
  shared: "Link copied",
  shareHint:
    "A link that carries these words and settings. They stay in the part of the address no server sees.",
  model: "Model",
  noModel: {
    title: "No model to call",
    text: "No channel offers you a model for this. An administrator can add one or allow your account to use it.",
  },
  failure: {
    title: "The call failed",
    code: "HTTP {status}",
    again: "Try again",
    signIn: "Sign in again",
    advice: {
      offline: "The server did not answer. Check that it runs and that you are connected, then try again.",
      "sign-in": "Your session may have ended. Sign in again and come back; the text stays here.",
      "not-allowed": "Your account may not use this. An administrator can allow the model or the address.",
      "unknown-model": "The model is gone or renamed. Choose another one from the list.",
      input: "Change what the message names and try again.",
      "too-large": "Send less at once.",
      wait: "Wait {seconds, plural, =0 {a moment} one {# second} other {# seconds}}, then try again.",
      budget:
        "The budget is spent. An administrator can raise it; it may also start anew tomorrow or next month.",
      "no-channel": "No channel can serve the model right now. Try again shortly; an administrator sees why.",
      upstream: "The upstream answered wrongly or too late. Try again; if it stays so, choose another model.",
      cut: "The sound broke off before its end. What arrived is kept; try again for the whole.",
      server: "The fault is the server’s. Its log has the cause under the request id.",
    },
  },
  code: {
    title: "The same call as code",
    hint: "Put a key of yours into <variable>{name}</variable> first. Keys are made on the Keys page.",
    copy: "Copy code",
    language: "Language of the code",
  },
};
