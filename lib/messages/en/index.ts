import { account } from "./account";
import { alerts } from "./alerts";
import { audit } from "./audit";
import { requests } from "./requests";
import { channels } from "./channels";
import { common } from "./common";
import { apiDocs } from "./api-docs";
import { embeddings } from "./embeddings";
import { join } from "./join";
import { apiKeys } from "./api-keys";
import { signIn } from "./sign-in";
import { models } from "./models";
import { overview } from "./overview";
import { playground } from "./playground";
import { twoFactor } from "./two-factor";
import { settings } from "./settings";
import { setup } from "./setup";
import { speech } from "./speech";
import { usage } from "./usage";
import { users } from "./users";

export const en = {
  common,
  setup,
  signIn,
  twoFactor,
  account,
  apiKeys,
  overview,
  playground,
  speech,
  embeddings,
  audit,
  alerts,
  apiDocs,
  requests,
  usage,
  users,
  join,
  channels,
  models,
  settings,
};
