export const playground = {
  share: "复制链接",
  shareHint: "链接在 URL 片段中包含文字和设置，不会发送到任何服务器。",
  model: "模型",
  noModel: {
    title: "没有可用的模型",
    text: "没有已启用的渠道为此页面提供模型。{role, select, member {管理员可以添加或启用渠道。} other {请添加或启用渠道。}}",
    action: "添加渠道",
  },
  failure: {
    title: "请求失败",
    code: "HTTP {status}",
    signIn: "重新登录",
    cause: "原因（仅管理员可见）",
    openLogs: "在日志中打开",
    inLogs: "该请求已记入日志。",
    rate: {
      requests: "您已达到每分钟 {limit} 次请求的上限。",
      tokens: "您已达到每分钟 {limit} 个词元的上限。",
      exceeded: "该请求超出您每分钟 {limit} 个词元的上限。",
    },
    budget: {
      daily: {
        zero: "您的每日预算为 {limit}，因此所有请求都会被拒绝。",
        used: "您已用完每日预算 {limit}。",
        short: "您的每日预算 {limit} 还剩 {left}，该请求的费用可能超出。",
      },
      monthly: {
        zero: "您的每月预算为 {limit}，因此所有请求都会被拒绝。",
        used: "您已用完每月预算 {limit}。",
        short: "您的每月预算 {limit} 还剩 {left}，该请求的费用可能超出。",
      },
      total: {
        zero: "您的预算为 {limit}，因此所有请求都会被拒绝。",
        used: "您已用完预算 {limit}。",
        short: "您的预算 {limit} 还剩 {left}，该请求的费用可能超出。",
      },
      resets: "将于 {when} 重置。{role, select, member {管理员} other {所有者}}可以提前提高预算。",
      raise: "{role, select, member {管理员} other {所有者}}可以提高预算。",
      noReset: "该预算不会重置，{role, select, member {管理员} other {所有者}}可以提高预算。",
    },
    advice: {
      offline: "服务器没有响应。请检查网络连接并确认服务器正在运行，然后重试。",
      "sign-in": "会话可能已过期。请重新登录，文字会保留。",
      "not-allowed": "请刷新页面。如果问题仍然存在，请由管理员检查服务器前的代理。",
      "unknown-model": "该模型已删除或改名，或其渠道填写的模型在上游不存在。请选择其他模型。",
      input: "请修改文字或设置后重试。",
      "too-large": "请减少单次发送的文字。",
      wait: "请等待 {seconds, plural, =0 {片刻} other {# 秒}}后重试。",
      "raise-limit": "{role, select, member {管理员} other {所有者}}可以提高该上限。",
      budget:
        "预算已用完。{role, select, member {管理员} other {所有者}}可以提高预算；每日和每月预算会自动重置。",
      "no-channel": "目前没有渠道能提供该模型。请稍后重试；管理员可以查看原因。",
      upstream: "上游返回错误或超时。如果持续出现，请选择其他模型。",
      cut: "音频提前结束。重试可获取完整音频。",
      server: "服务器内部错误。服务器日志中可按请求 ID 查到原因。",
    },
  },
  code: {
    title: "代码",
    hint: "将 <variable>{name}</variable> 设置为您的一个 API 密钥。",
  },
};
