/**
 * The console API's sentences in Chinese, by the server's own English ones. `{message}` is another sentence of this table,
 * any other placeholder a value. Field rules that a form checks itself are in components/forms/rule-text.ts.
 */
export const SERVER_ERRORS: Readonly<Record<string, string>> = {
  // Sign-in, permissions and the account
  "Sign in first.": "请先登录。",
  "The session has ended.": "会话已结束。",
  "Session not found.": "找不到会话。",
  "Incorrect username or password.": "用户名或密码不正确。",
  "Incorrect password.": "密码不正确。",
  "The code is incorrect or was already used.": "验证码不正确或已被使用。",
  "This sign-in has expired. Start again with username and password.": "登录超时，请重新输入用户名和密码。",
  "Must match the pending cookie.": "必须与等待验证的 Cookie 一致。",
  "Too many sign-ins at once. Try again in a second.": "同时登录的人过多，请稍后重试。",
  "{message} Try again in {seconds} s.": "{message}请在 {seconds} 秒后重试。",
  "{message} Try again in {minutes} minutes.": "{message}请在 {minutes} 分钟后重试。",
  "Too many attempts from this address.": "来自此地址的尝试过多。",
  "Your password was asked for too often.": "密码验证过于频繁。",
  "Too many changes.": "更改过于频繁。",
  "Too many wrong codes.": "错误验证码过多。",
  "Too many wrong codes: two-factor sign-in is locked.": "错误验证码过多，两步验证已锁定。",
  "Too many wrong passwords.": "错误密码过多。",
  "This requires a signed-in session; an API key is not accepted.": "此操作需要登录，不能使用 API 密钥。",
  "This requires the role admin or owner.": "只有管理员和所有者可以执行此操作。",
  "This requires the role owner.": "只有所有者可以执行此操作。",
  "Only the owner may change this.": "只有所有者可以更改此项。",
  "Your role requires 2FA: enable it under Account first.": "您的角色必须使用两步验证，请先在账户页启用。",
  "Only the owner may change whether the owner needs 2FA.": "只有所有者可以更改所有者是否必须使用两步验证。",
  "Two-factor authentication is not enabled.": "两步验证未启用。",
  "Two-factor authentication is already enabled.": "两步验证已启用。",
  "Two-factor authentication is already enabled. Disable it first.": "两步验证已启用，请先停用。",
  "2FA is already enabled; disable it first.": "两步验证已启用，请先停用。",
  "Enter your password: you signed in more than ten minutes ago.": "距离您登录已超过十分钟，请输入密码。",
  "No 2FA enrolment is pending. Set up two-factor authentication first.":
    "没有待完成的两步验证设置，请重新开始设置。",
  "Incorrect code. Check the clock of the device.": "验证码不正确，请检查设备时间。",
  "This enrolment was replaced or enabled by another request.": "此设置已被另一个请求取代或完成。",
  "Your account was changed by another request. Load it again.": "您的账户已在别处更改，请重新加载。",
  "Your profile was changed by another request. Load it again.": "您的个人资料已在别处更改，请重新加载。",
  "Self-registration is on, so only administrators set e-mail addresses. Ask one to set yours.":
    "开放注册期间只有管理员可以设置电子邮箱，请让管理员为您设置。",
  "This request came from another site and was refused.": "此请求来自其他网站，已被拒绝。",
  "The query parameter '{name}' is given twice.": "查询参数 {name} 出现了两次。",
  "This endpoint accepts no fields.": "此接口不接受任何字段。",
  "The request is not valid.": "请求无效。",

  // Setup
  "This instance is already set up.": "此实例已经设置完成。",
  "This instance is already set up. Sign in instead.": "此实例已经设置完成，请登录。",
  "{message} The server prints it when it starts and stores it in the file 'setup-token' of its data directory; an operator may have set it as PATCHBAY_SETUP_TOKEN.":
    "{message}服务器启动时会输出此令牌，并将其保存在数据目录的 setup-token 文件中；运维人员也可能已通过 PATCHBAY_SETUP_TOKEN 设置。",
  "The setup token is wrong.": "设置令牌不正确。",
  "Setup from this address needs the setup token.": "从此地址进行设置需要设置令牌。",
  "Setup progress not found.": "找不到设置进度。",

  // Users
  "User not found.": "找不到用户。",
  "Change your own account on the account page.": "请在账户页更改您自己的账户。",
  "Only a user with a higher role may change this user.": "只有角色更高的用户才能更改此用户。",
  "This is a demo site: only its owner can change settings.": "这是演示站点，只有所有者可以更改设置。",
  "You may only add users with a lower role than yours.": "您只能添加角色低于您的用户。",
  "You may only assign a lower role than yours.": "您只能授予低于您的角色。",
  "You may only invite users with a lower role than yours.": "您只能邀请角色低于您的用户。",
  "The user was changed by another request. Load it again.": "此用户已在别处更改，请重新加载。",
  "The user was changed by another request. Try again.": "此用户已在别处更改，请重试。",
  "This user is disabled. Enable the user first.": "此用户已停用，请先启用。",
  "This username or e-mail address is already taken.": "此用户名或电子邮箱已被使用。",
  "Open link not found.": "找不到有效的链接。",
  "Only a user with a higher role than this link's may revoke it.": "只有角色高于此链接的用户才能撤销它。",
  "This link is no longer valid: it was used, revoked or has expired. Ask an administrator for a new one.":
    "此链接已被使用、被撤销或已过期，请向管理员索取新的链接。",
  "Self-registration is off. Ask an administrator for an invite.": "未开放注册，请向管理员索取邀请。",

  // API keys
  "API key not found.": "找不到 API 密钥。",
  "The key was changed by another request. Load it again.": "此密钥已在别处更改，请重新加载。",
  "Only the owner of this key, or a user with a higher role, may change it.":
    "只有此密钥的所有者或角色更高的用户可以更改它。",
  "Only keys of admins and owners can have the operation 'manage'.":
    "只有管理员和所有者的密钥可以有“管理”权限。",
  "A user may have at most {max} unexpired API keys. Delete unused keys first.":
    "每个用户最多有 {max} 个未过期的 API 密钥，请先删除不用的密钥。",
  "Too many keys of this user are in their grace period. Rotate with grace_hours 0, or delete keys first.":
    "此用户处于宽限期的密钥过多，请选择无宽限期轮换，或先删除密钥。",
  "Only the owner of a key may rotate it.": "只有密钥的所有者可以轮换它。",
  "This key has expired and cannot be rotated. Create a new key instead.":
    "此密钥已过期，不能轮换，请创建新的密钥。",
  "This key was already rotated and is in its grace period. Use the key that replaced it; if its secret is lost, delete that key and rotate this one again.":
    "此密钥已轮换，正处于宽限期。请使用取代它的密钥；如果新密钥已丢失，请将其删除，再重新轮换此密钥。",
  "Must be a time such as 2027-01-31T12:00:00Z.": "请输入时间，例如 2027-01-31T12:00:00Z。",
  "Must not repeat an operation.": "权限不能重复。",

  // Channels and models
  "Channel not found.": "找不到渠道。",
  "Model not found.": "找不到模型。",
  "This was changed by another request. Load it again and repeat your change.":
    "此项已在别处更改，请重新加载后再次更改。",
  "An embedded engine cannot be deleted; disable it instead.": "内置引擎不能删除，可以停用。",
  "This field cannot be changed for an embedded engine.": "内置引擎的此字段不能更改。",
  "The provider of a channel cannot be changed.": "渠道的服务商不能更改。",
  "A new channel has no stored keys; enter them.": "新渠道没有已保存的密钥，请输入密钥。",
  "The address has changed: enter its keys again, stored keys are only sent to the old address.":
    "地址已更改，请重新输入密钥：已保存的密钥只发送到原地址。",
  "This channel has no key with that ID.": "此渠道没有使用此 ID 的密钥。",
  "Another key of this channel already has this label.": "此渠道的另一个密钥已使用此标签。",
  "A channel with that ID already exists.": "已有使用此 ID 的渠道。",
  "This is an alias of '{name}'; use that name.": "这是模型 {name} 的别名，请改用 {name}。",
  "'{name}' is a model for {operation}.": "{name} 是 {operation} 模型。",
  'Set the operation of \'{name}\': "speech" or "embeddings".': "请选择 {name} 的类型：语音或向量。",
  "Another model already has this name or alias.": "已有模型使用此名称或别名。",
  "{field} '{voice}' is not a voice of model {model}; {hint}": "模型 {model} 没有声音“{voice}”；{hint}",
  "GET /v1/audio/voices lists them": "GET /v1/audio/voices 会列出所有声音。",
  "did you mean '{name}'?": "是否指“{name}”？",
  "Must be printable characters without spaces.": "只能包含可打印的 ASCII 字符，且不含空格。",
  "Must be one of {names}.": "必须是以下之一：{names}。",
  "Must not repeat a public name.": "公开名称不能重复。",
  "Must have at most 500 voices.": "最多 500 个声音名称。",
  "Must be a certificate in PEM form.": "请输入 PEM 格式的证书。",
  "Must be a version, such as 2024-10-21.": "请输入版本，例如 2024-10-21。",
  "Must have at most {max} headers.": "最多 {max} 个请求头。",
  "Only the owner may allow private addresses as upstreams.": "只有所有者可以允许私有地址作为上游。",
  "This address is not in the list of allowed upstreams.": "此地址不在允许的上游列表中。",
  "Unknown provider '{name}'.": "未知的服务商 {name}。",
  "The provider '{name}' does not support speech.": "服务商 {name} 不支持语音。",
  "The provider '{name}' does not support embeddings.": "服务商 {name} 不支持向量。",

  // Tests of channels
  "This channel serves no model yet; add one first.": "此渠道还没有模型，请先添加。",
  "This channel does not serve '{model}'.": "此渠道不提供 {model}。",
  "The channel returned no audio.": "渠道没有返回音频。",
  "The channel returned no vector.": "渠道没有返回向量。",
  "The channel's upstream key cannot be decrypted with this server's secrets.":
    "无法用此服务器的实例密钥解密渠道的上游密钥。",
  "The channel's upstream could not be reached.": "无法连接到渠道的上游。",
  "The channel's upstream did not answer in time.": "渠道的上游未及时响应。",
  "The channel's upstream timed out.": "渠道的上游超时。",
  "The channel's upstream stopped sending.": "渠道的上游停止发送数据。",
  "The channel's upstream ended its answer early.": "渠道的上游提前结束了响应。",
  "The channel's upstream closed the connection before it answered.": "渠道的上游在响应前关闭了连接。",
  "The channel's upstream answered {what}.": "渠道的上游返回了无法使用的响应（{what}）。",
  "The channel's upstream answered with an error ({status}).": "渠道的上游返回错误（{status}）。",
  "The channel's upstream answered with a redirect; redirects are not followed.":
    "渠道的上游返回了重定向，Patchbay 不跟随重定向。",
  "The channel's upstream cannot process this text.": "渠道的上游无法处理此文本。",
  "The channel's upstream rejected the request: rate limit exceeded.":
    "渠道的上游拒绝了请求：已达到速率限制。",
  "This request alone exceeds a limit of the channel's upstream. {hint}":
    "这一个请求就超出了渠道上游的限制。{hint}",
  "Send less text in one request.": "请减少每个请求的文本。",

  // Settings
  "The settings were changed by another request. Load them again and repeat your change.":
    "设置已在别处更改，请重新加载后再次更改。",
  "Only the owner may turn the demo site on or off.": "只有所有者可以开启或关闭演示站点。",
  "Must name each key once.": "每个密钥只能出现一次。",
  "Each model and API key once.": "每个模型和 API 密钥只能出现一次。",
  "Only the owner may download a backup.": "只有所有者可以下载备份。",
  "A backup is already in progress. Try again in a moment.": "正在创建另一个备份，请稍后重试。",
  "This store is PostgreSQL: back it up with pg_dump.": "此实例使用 PostgreSQL，请用 pg_dump 备份。",
  "Only the owner may create the /metrics token.": "只有所有者可以生成指标令牌。",
  "Only the owner may remove the /metrics token.": "只有所有者可以移除指标令牌。",
  "PATCHBAY_METRICS_TOKEN sets the token; change it there.":
    "令牌由 PATCHBAY_METRICS_TOKEN 设置，请在该变量中更改。",
  "No /metrics token exists.": "没有指标令牌。",
  "Must be a file that Patchbay exported.": "请选择由 Patchbay 导出的文件。",
  "Must be a file of version 1.": "请选择版本为 1 的文件。",
  "Its operation is {operation} on this instance.": "在此实例上它的类型是 {operation}。",
  "Another model of the file has this name.": "文件中的另一个模型使用此名称。",
  "Another channel of the file has this name.": "文件中的另一个渠道使用此名称。",
  "Several channels have this name on this instance.": "此实例有多个同名的渠道。",
  "A channel with this name has another provider on this instance.": "此实例的同名渠道使用其他服务商。",
  "Its address differs from the one its stored keys belong to.": "它的地址与已保存密钥所属的地址不同。",
  "This instance has no such embedded engine.": "此实例没有该内置引擎。",
  "Embedded engines already have their channels.": "内置引擎已有自己的渠道。",
  "This instance has no API key with this ID.": "此实例没有使用此 ID 的 API 密钥。",
  "With those of this instance's API keys there would be more than {max} alert rules.":
    "加上此实例 API 密钥的规则，告警规则将超过 {max} 条。",
  "'{name}' is already a name or alias of '{holder}'.": "模型 {holder} 已使用名称 {name}。",

  // Alerts, usage, logs and the audit log
  "Alert not found.": "找不到告警。",
  "Open alert not found.": "找不到未解决的告警。",
  "No webhook URL is saved. Save one first.": "尚未保存 Webhook URL，请先保存。",
  "No signing secret exists. Create one first.": "没有签名密钥，请先创建。",
  "Request not found.": "找不到请求。",
  "'from' must be before 'to'.": "开始时间必须早于结束时间。",
  "A range by {interval} may have at most {hours} hours.": "按 {interval} 统计的时间范围最长 {hours} 小时。",
  "A range by minute may have at most 6 hours.": "按分钟统计的时间范围最长 6 小时。",
  "A range by hour or day may have at most 92 days.": "按小时或按天统计的时间范围最长 92 天。",
  "Must be next_cursor of the previous page.": "必须是上一页的 next_cursor。",
  "Must be actions such as key.create, or groups of them such as key, with commas between.":
    "必须是操作（例如 key.create）或操作分组（例如 key），用逗号分隔。",
  "Must be an error's code or an HTTP status.": "必须是错误代码或 HTTP 状态码。",
  "Must be ok, failed, an error's code or an HTTP status.": "必须是 ok、failed、错误代码或 HTTP 状态码。",
  "Must be 1 to 100 IDs separated by commas.": "必须是 1 到 100 个 ID，用逗号分隔。",
  "Too many open event streams for this session or user.": "此会话或用户打开的事件流过多。",

  // Recordings
  "The body must be 24 kHz mono PCM with 16-bit samples.": "请求体必须是 24 kHz、16 位的单声道 PCM。",
  "Another of your recordings is being encoded or downloaded. Try again in a moment.":
    "您的另一段录音正在编码或下载，请稍后重试。",
  "Other recordings are being encoded. Try again in a moment.": "正在编码其他录音，请稍后重试。",

  // Local voices
  "Only the owner may manage local voices.": "只有所有者可以管理本地语音。",
  "Local voices are turned off (PATCHBAY_VOICES=off).": "本地语音已关闭（PATCHBAY_VOICES=off）。",
  "Local voices are turned off on this machine (PATCHBAY_VOICES).":
    "此机器上的本地语音已关闭（PATCHBAY_VOICES）。",
  "Its folder is missing. Mount its disk again; removing the voice also deletes its settings and prices.":
    "它的文件夹不存在，请重新挂载磁盘；删除此语音会同时删除其设置和价格。",
  "The local voice '{name}' already exists; remove it first.": "本地语音 {name} 已存在，请先删除。",
  "The local voice '{name}' is being installed.": "本地语音 {name} 正在安装。",
  "The catalogue has no voice '{name}'.": "目录中没有语音 {name}。",
  "Local voice '{name}' not found.": "找不到本地语音 {name}。",
  "No installation of '{name}' is running.": "没有正在安装 {name}。",
  "Must be the name of a model in the catalogue.": "请输入目录中的模型名称。",
  "Must end in .tar.bz2, .tbz, .tbz2, .tar.gz or .tgz.":
    "必须以 .tar.bz2、.tbz、.tbz2、.tar.gz 或 .tgz 结尾。",
  "'{name}' is not a valid name: letters, digits and ._- are accepted.":
    "{name} 不是有效的名称，请使用字母、数字和 . _ -。",
  "The model produced no audio.": "模型没有生成音频。",
  "The directory of the local voices cannot be read.": "无法读取本地语音的目录。",
  "The local voice is not on this machine.": "此机器上没有该本地语音。",
  "The files of the local voice cannot be used.": "本地语音的文件无法使用。",
  "The local voice failed on this text.": "本地语音无法合成此文本。",
  "This machine cannot speak a text of this length in time with {model}.":
    "此机器无法及时用 {model} 合成这么长的文本。",
  "'{voice}' is not a voice of {model}.": "{model} 没有声音“{voice}”。",
  "The text must contain at least one letter or digit to speak.": "文本必须至少包含一个可朗读的字母或数字。",
  "The archive has {bytes} bytes; at most {max} are accepted.":
    "归档文件大小为 {bytes} 字节，最大 {max} 字节。",
  "{server} answered with a redirect that names no URL.": "{server} 返回了没有 URL 的重定向。",
  "{server} redirected again after {count} redirects; no more are followed.":
    "{server} 的重定向超过 {count} 次，已停止。",
  "The archive's URL {why}.": "归档文件的 URL 不被接受（{why}）。",
  "'{url}' is not a URL.": "{url} 不是 URL。",
  "The URL must begin with https:// and name one host.": "URL 必须以 https:// 开头并包含一个主机。",
  "The URL must not have a user name or password.": "URL 不能包含用户名和密码。",
  "An http: URL requires the archive's SHA-256; pass it, or use https:.":
    "http: 地址需要归档文件的 SHA-256，请提供它，或使用 https:。",
  "The URL must end in .tar.bz2 or .tar.gz.": "URL 必须以 .tar.bz2 或 .tar.gz 结尾。",
  "The file's name must end in .tar.bz2 or .tar.gz.": "文件名必须以 .tar.bz2 或 .tar.gz 结尾。",
  "A part must have 1 to {max} bytes; got {bytes}.": "每部分必须为 1 到 {max} 字节，当前为 {bytes}。",
  "The next part must begin at byte {next}; got {offset}.":
    "下一部分必须从第 {next} 字节开始，当前为 {offset}。",
  "The installation failed.": "安装失败。",
  "The installation was cancelled.": "安装已取消。",
  "The archive's SHA-256 is {found}; expected {expected}.":
    "归档文件的 SHA-256 为 {found}，应为 {expected}。",
  "The archive's SHA-256 is {found}; expected {expected}, as at the first download: pass another as --sha256 to accept it.":
    "归档文件的 SHA-256 为 {found}，与首次下载时的 {expected} 不同。如要接受新文件，请用 --sha256 指定。",
  "The archive contains no usable voice: {file}: {message}": "归档文件中没有可用的语音：{file}：{message}",
  "The archive was rejected. {message}": "归档文件被拒绝。{message}",
  "It has more than {max} files.": "它包含超过 {max} 个文件。",
  "It unpacks to more than {size} MB.": "它解压后超过 {size} MB。",
  "It is damaged or incomplete ({cause}).": "它已损坏或不完整（{cause}）。",
  "It is empty.": "它是空的。",
  "It must contain the files of one voice, or one folder with all of them.":
    "它必须包含一个语音的文件，或一个包含全部文件的文件夹。",
  "It is neither a .tar.bz2 nor a .tar.gz archive.": "它不是 .tar.bz2 或 .tar.gz 归档文件。",
  "Its entry {quoted} {why}.": "其中的条目 {quoted} 不被接受（{why}）。",
  "The file is missing.": "文件不存在。",
  "The file is empty.": "文件为空。",
  "The file is cut short: copy or download it again.": "文件不完整，请重新复制或下载。",
  "This is not an ONNX model.": "这不是 ONNX 模型。",
  "Its metadata is larger than 1 MiB.": "它的元数据大于 1 MiB。",
  "Its model_type is '{type}'; supported are {types}.": "它的 model_type 是 {type}，支持的有 {types}。",
  "It has no metadata of sherpa-onnx, such as sample_rate: use a model in sherpa-onnx's form.":
    "它没有 sherpa-onnx 的元数据（例如 sample_rate），请使用 sherpa-onnx 格式的模型。",
  "Its metadata {key} {found}; it must be from {min} to {max}.":
    "它的元数据 {key} 无效（{found}），必须在 {min} 到 {max} 之间。",
  "It has {bytes} bytes; {speakers} speakers need {needed}.":
    "它的大小为 {bytes} 字节，{speakers} 个发音人需要 {needed}。",
  "A Matcha model needs a vocoder in the same folder.": "Matcha 模型需要同一文件夹中的声码器。",
  "This is not Piper's description of a model.": "这不是 Piper 的模型描述文件。",
  "The record of earlier downloads, {file} in the voices directory, cannot be read: {advice}.":
    "无法读取语音目录中的下载记录 {file}：{advice}。",
  "{file}: The record of the files cannot be read: {advice}.": "{file}：无法读取文件记录：{advice}。",
  "{file}: The file was changed since it was installed.": "{file}：文件在安装后被改动。",

  // The server and its database
  "The server is shutting down.": "服务器正在关闭。",
  "The server is shutting down; send the request again.": "服务器正在关闭，请重试。",
  "The server's disk is full.": "服务器的磁盘已满。",
  "The server cannot write to its data directory.": "服务器无法写入其数据目录。",
  "The server has reached its limit of open connections and files. Try again in a moment.":
    "服务器打开的连接和文件已达上限，请稍后重试。",
  "The store is unavailable. Try again in a moment.": "数据库不可用，请稍后重试。",
  "The store is out of space; changes cannot be saved until space is freed.":
    "数据库空间已满，释放空间之前无法保存更改。",
  "A record with this name or ID already exists.": "已有使用此名称或 ID 的记录。",
  "A key with that ID or digest already exists.": "已有使用此 ID 或摘要的密钥。",
  "The user or session that this belongs to no longer exists.": "它所属的用户或会话已不存在。",
  "The body is larger than {max} bytes.": "请求体大于 {max} 字节。",
  "The body did not arrive within {seconds} s.": "请求体未在 {seconds} 秒内到达。",

  "{path}: {message}": "{path}：{message}",
};

/** A template's pattern, with a group for each placeholder; `{quoted}` is a string in quotation marks. */
function patternOf(template: string): RegExp {
  const source = template
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === "quoted" ? '"(?:[^"\\\\]|\\\\.)*"' : ".+?"})`);
  return new RegExp(`^${source}$`, "s");
}

const fixedLength = (template: string) => template.replace(/\{\w+\}/g, "").length;

/** Placeholders whose value is a sentence of this table. */
const SENTENCES: ReadonlySet<string> = new Set(["message", "hint"]);

let patterns: readonly [pattern: RegExp, text: string][] | null = null;

/** The subject that replaces "The channel's upstream" in errors of a download (lib/providers/outbound/failure.ts). */
const ARCHIVE_SERVER = /^The archive's server (\S+)(?= )/;

/** A sentence of the server in Chinese; null for one that the table does not have. */
export function inChinese(sentence: string): string | null {
  const [subject, host] = ARCHIVE_SERVER.exec(sentence) ?? [];
  if (subject !== undefined)
    return (
      inChinese(sentence.replace(subject, "The channel's upstream"))?.replace(
        /渠道的上游|The channel's upstream ?/,
        `归档文件的服务器“${host}”`,
      ) ?? null
    );
  if (Object.hasOwn(SERVER_ERRORS, sentence)) return SERVER_ERRORS[sentence] ?? null;
  // The template with the most text of its own first: "answered with an error ({status})" before "answered {what}".
  patterns ??= Object.entries(SERVER_ERRORS)
    .filter(([template]) => template.includes("{"))
    .sort(([a], [b]) => fixedLength(b) - fixedLength(a))
    .map(([template, text]) => [patternOf(template), text]);
  for (const [pattern, text] of patterns) {
    const values = pattern.exec(sentence)?.groups;
    if (values === undefined) continue;
    const { message } = values;
    if (message !== undefined && inChinese(message) === null) continue;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name] ?? "";
      return SENTENCES.has(name) ? (inChinese(value) ?? value) : value;
    });
  }
  return null;
}
