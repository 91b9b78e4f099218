import { account } from "./account";
import { alerts } from "./alerts";
import { apiDocs } from "./api-docs";
import { apiKeys } from "./api-keys";
import { audit } from "./audit";
import { channels } from "./channels";
import { common } from "./common";
import { embeddings } from "./embeddings";
import { localVoices } from "./local-voices";
import { models } from "./models";
import { overview } from "./overview";
import { playground } from "./playground";
import { requests } from "./requests";
import { settings } from "./settings";
import { setup } from "./setup";
import { join, signIn, twoFactor } from "./sign-in";
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
  localVoices,
  settings,
};
