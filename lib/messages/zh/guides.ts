/**
 * The guides, in a small part of Markdown (components/api-docs/markdown.tsx). `{{origin}}` is this server's address,
 * `{{sample:…}}` a call as code (components/api-docs/guide-samples.ts).
 */
export const guides = {
  sdks: {
    title: "接入 SDK",
    lead: "OpenAI、Google 和 Vercel 的官方 SDK 无需改动即可使用：只需换掉地址和密钥。",
    text: `在[密钥](/keys)页创建密钥，放到程序读取的位置：

~~~bash
export PATCHBAY_API_KEY=sk-pb-…
~~~

## OpenAI

base URL 以 \`/v1\` 结尾。缺少它时，每次调用都会返回 404 并说明原因。

{{sample:openai-embeddings}}

{{sample:openai-speech}}

Python：

{{sample:openai-python}}

## Google GenAI

base URL 就是本服务器的地址，不带版本号。

{{sample:genai-speech}}

Python：

{{sample:genai-python}}

## Vercel AI SDK

其 OpenAI 提供方使用带 \`/v1\` 的地址，Google 提供方使用带 \`/v1beta\` 的地址。

{{sample:vercel}}

## curl

{{sample:curl-speech}}

{{sample:curl-embeddings}}

密钥可用的模型与音色：\`GET /v1/models\` 和 \`GET /v1/audio/voices\`。`,
  },
  upstreams: {
    title: "添加上游",
    lead: "渠道通往某个提供商，或您自己的服务器。调用方仍用各自的接口形式。",
    text: `1. 打开[渠道](/channels)，选择**添加渠道**。
2. 选择类型。**OpenAI** 指 api.openai.com 本身；Azure 上的资源请选 **Azure OpenAI**；其他支持 OpenAI 形式的服务（Kokoro-FastAPI、LocalAI、vLLM、Ollama、OpenRouter 等）请选 **兼容 OpenAI** 并填写其基础地址。
3. 粘贴密钥，然后选择**连接**，即可列出它的模型。密钥加密保存，不再显示。
4. 勾选要提供的模型。**上游名称**是上游自己的名称，旁边的**公开名称**是调用方使用的名称。
5. 测试：发出一次简短的真实调用，并查看结果。

## 多个渠道提供同一模型

提供同一公开名称的渠道会分担调用。优先级数字小的先试；同一优先级内按权重分配。某个渠道失败时，同一次调用会由下一个渠道应答。

## 内网中的服务器

明文 http 和内网地址默认拒绝，以免有人借 Patchbay 访问防火墙后的服务。所有者可在[设置](/settings)中允许单个主机和端口，或在启动时指定：

~~~bash
PATCHBAY_UPSTREAM_ALLOW=127.0.0.1:11434 npm start
~~~

## 用程序添加

具有管理权限的密钥也能做同样的事。在服务器上：

~~~bash
export ADMIN=$(npm run --silent admin -- create-key --user <您的用户名> --name channels --operations manage)
curl {{origin}}/api/channels \\
  -H "Authorization: Bearer $ADMIN" -H "Content-Type: application/json" \\
  -d '{"name":"OpenAI","provider":"openai","keys":["sk-…"],
       "models":[{"name":"text-embedding-3-small","upstream_name":"text-embedding-3-small"}]}'
~~~`,
  },
  speakers: {
    title: "多人对话",
    lead: "用“名字: …”逐行写成脚本，每个名字对应一个音色，一次调用全部读出。",
    text: `Gemini 的形式支持脚本。给每位说话人指定音色；以名字加冒号开头的行由其读出。

{{sample:script-curl}}

使用 Google SDK：

{{sample:script-genai}}

## 规则

- 内置引擎支持一至八位说话人，Gemini 的模型恰好两位。
- 没有已知名字的行由上一位说话人继续。
- 开头若有一行以冒号结尾且不是任何人的名字（如 “TTS the following conversation:”），视为指令，不读出。
- \`multiSpeakerVoiceConfig\` 与 \`voiceConfig\` 不能同时使用。
- 返回的是 24 kHz 单声道 16 位采样，base64 编码。

[语音试用页](/playground/speech)会替您写好这样的调用：代码面板显示的正是您听到的那一次。`,
  },
  budgets: {
    title: "预算",
    lead: "密钥或用户可花费的金额：总额、每日和每月。任何调用都不会使余额变为负数。",
    text: `价格记在各个[模型](/models)上；没有价格的模型调用免费。预算记在[密钥](/keys)和[用户](/users)上。一次调用必须同时符合密钥及其所有者的预算。

## 如何记账

1. 调用开始前先预留最坏情况的费用：语音按文本可能产生的最长回复计，向量按计得的词元数再加一成。
2. 调用结束后按实际费用入账，其余退回。
3. 放不下的调用以 429 和 \`insufficient_quota\` 拒绝。因此预算可能会剩下一点：余额已不够下一次调用。

日和月以服务器所在时区为准。命中缓存的回复不收费。

## 用程序设置

~~~bash
curl {{origin}}/api/keys \\
  -H "Authorization: Bearer $ADMIN" -H "Content-Type: application/json" \\
  -d '{"name":"newsletter","operations":["speech"],"budget":{"daily_usd":"1.50","monthly_usd":"20"}}'
~~~

用到 80% 以及有调用被拒绝时，会产生[告警](/alerts)。`,
  },
  "second-factor": {
    title: "找回第二步验证",
    lead: "验证应用或手机丢失了。以下是重新登录的办法，从易到难。",
    text: `## 使用备用码

开启第二步验证时曾显示十个备用码。在登录要求六位数字处填写其中一个；大小写、短横和空格都不影响。每个只能用一次。之后请在[账户](/account)页关闭再重新开启第二步验证，或在那里生成新的备用码。

## 请管理员重置

所有者或管理员打开[用户](/users)页，可为角色低于自己的人重置第二步验证。此人的所有会话随即结束。

## 在服务器上

适用于所有者，或无人能登录时：

~~~bash
npm run admin -- reset-2fa <用户名>
npm run admin -- reset-password <用户名>
~~~

两条命令都会结束该用户的会话，并在[审计](/audit)中留下记录。

## 输错次数过多

连续十次输错会锁定第二步 15 分钟，之后每次加倍，最长一天。到时自动解除；管理员可在[用户](/users)页提前解除，或在服务器上：

~~~bash
npm run admin -- unlock <用户名>
~~~`,
  },
  backup: {
    title: "备份与恢复",
    lead: "一切都在一个数据库和一个密钥里。恢复时两者缺一不可。",
    text: `## SQLite

服务器运行时也可复制，目标须是尚不存在的文件：

~~~bash
npm run admin -- backup /backups/patchbay-$(date +%F).db
~~~

所有者也可在[设置](/settings)页下载备份。

**请同时保存密钥：** 即数据目录中的 \`secret\` 文件，或 \`PATCHBAY_SECRET\` 的值。没有它，备份中的上游密钥和第二步验证都无法打开。请与备份分开存放。

恢复时先停止服务器，再用备份替换存储。原有内容会保留在旁边，所有人都需重新登录：

~~~bash
npm run admin -- restore /backups/patchbay-2026-11-21.db
npm start
~~~

## PostgreSQL

使用其自带工具：

~~~bash
pg_dump --format=custom --file=patchbay.dump "$DATABASE_URL"
pg_restore --clean --dbname="$DATABASE_URL" patchbay.dump
~~~

## 是否完整恢复？

[审计](/audit)页会校验记录并显示最新哈希。\`npm run admin -- verify-audit --expect <hash>\` 会告诉您此前记下的哈希是否仍在其中。`,
  },
  proxy: {
    title: "在代理后运行",
    lead: "TLS 在代理处终止；Patchbay 由代理得知调用者是谁，并经由它流式传输。",
    text: `~~~bash
PATCHBAY_BASE_URL=https://patchbay.example.com \\
PATCHBAY_TRUSTED_PROXIES=127.0.0.1/32 \\
HOST=127.0.0.1 npm start
~~~

- \`PATCHBAY_BASE_URL\` 是人们使用的地址。若为 https，Cookie 只用于 https。
- \`PATCHBAY_TRUSTED_PROXIES\` 以 CIDR 列出可信代理，只有它们的 \`X-Forwarded-For\` 被采信。其他来源的此类请求头一律丢弃，因此无法绕过按地址的限制。
- \`HOST=127.0.0.1\` 使他人无法绕过代理直连。

## nginx

~~~nginx
server {
  listen 443 ssl;
  server_name patchbay.example.com;
  client_max_body_size 16m;        # 向量请求最大 16 MiB

  location / {
    proxy_pass http://127.0.0.1:3000;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_buffering off;           # 语音边生成边播放
    proxy_read_timeout 600s;       # 与最长的调用一致
  }
}
~~~

## Caddy

~~~text
patchbay.example.com {
  reverse_proxy 127.0.0.1:3000 {
    flush_interval -1
  }
}
~~~

## 检查

服务器可接收调用时 \`/api/health/ready\` 返回 200，启动或停止期间返回 503。未设令牌时，\`/metrics\` 只对本机开放。`,
  },
  alerts: {
    title: "通过 Webhook 接收告警",
    lead: "每条告警在产生和解除时都会带签名发往您的服务器。",
    text: `在[告警](/alerts)页填写地址、生成签名密钥，然后发送测试。Patchbay 加密保存该地址，只显示主机和末尾几个字符。明文 http 和内网地址必须列在 \`PATCHBAY_WEBHOOK_ALLOW\` 中；渠道获准访问的地址对 Webhook 无效。

## 消息

~~~json
{
  "id": "alt_4kQ…",
  "kind": "channel_open",
  "subject": "chn_9Xa…",
  "subject_name": "Gemini",
  "state": "opened",
  "at": "2026-11-21T12:00:00.000Z",
  "message": "The channel 'Gemini' takes no calls since 2026-11-21T11:57:30.000Z: the upstream refuses its key.",
  "detail": { "name": "Gemini", "reason": "credentials", "since": "2026-11-21T11:57:30.000Z" },
  "opened_at": "2026-11-21T12:00:00.000Z",
  "resolved_at": null
}
~~~

\`kind\` 为 \`channel_open\`、\`error_rate\`、\`budget_nearly_spent\`、\`budget_spent\`、\`disk\`、\`second_server\` 或 \`test\`；\`state\` 为 \`opened\` 或 \`resolved\`。同一消息可能到达两次：\`id\` 与 \`state\` 合起来标识一条消息。

## 校验签名

请求头 \`x-patchbay-signature\` 形如 \`t=<unix 秒>,v1=<十六进制>\`：以您的密钥对 \`t\`、一个句点和原始请求体计算的 HMAC-SHA256。请用恒定时间比较，并拒绝五分钟之前的消息。

~~~javascript
import { createHmac, timingSafeEqual } from "node:crypto";

export function isFromPatchbay(header, body, secret) {
  const { t, v1 } = Object.fromEntries(header.split(",").map((part) => part.split("=")));
  const expected = createHmac("sha256", secret).update(\`\${t}.\${body}\`).digest();
  const given = Buffer.from(v1, "hex");
  const isFresh = Math.abs(Date.now() / 1000 - Number(t)) < 300;
  return isFresh && given.length === expected.length && timingSafeEqual(given, expected);
}
~~~

~~~python
import hashlib, hmac, time

def is_from_patchbay(header: str, body: bytes, secret: str) -> bool:
    parts = dict(part.split("=", 1) for part in header.split(","))
    expected = hmac.new(secret.encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    return abs(time.time() - int(parts["t"])) < 300 and hmac.compare_digest(expected, parts["v1"])
~~~

## 投递

请在 10 秒内以任意 2xx 应答。否则会在 15 秒后重试，之后依次为 1、5、15、60 分钟和 3、6 小时，服务器重启后仍会继续。不跟随重定向。`,
  },
};
