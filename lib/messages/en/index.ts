import { account } from "./account";
import { alerts } from "./alerts";
import { audit } from "./audit";
import { calls } from "./calls";
import { channels } from "./channels";
import { common } from "./common";
import { docs } from "./docs";
import { embeddings } from "./embeddings";
import { guides } from "./guides";
import { join } from "./join";
import { keys } from "./keys";
import { login } from "./login";
import { logs } from "./logs";
import { models } from "./models";
import { overview } from "./overview";
import { playground } from "./playground";
import { secondFactor } from "./second-factor";
import { settings } from "./settings";
import { setup } from "./setup";
import { speech } from "./speech";
import { usage } from "./usage";
import { users } from "./users";

export const en = {
  common,
  setup,
  login,
  secondFactor,
  account,
  keys,
  overview,
  playground,
  speech,
  embeddings,
  audit,
  alerts,
  docs,
  guides,
  calls,
  usage,
  logs,
  users,
  join,
  channels,
  models,
  settings,
};
