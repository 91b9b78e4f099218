import { account } from "./account";
import { common } from "./common";
import { embeddings } from "./embeddings";
import { keys } from "./keys";
import { login } from "./login";
import { overview } from "./overview";
import { setup } from "./setup";
import { speech } from "./speech";

export const zh = { common, setup, login, account, keys, overview, speech, embeddings };
