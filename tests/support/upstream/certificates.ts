import { readFileSync } from "node:fs";

/** Self-signed certificates for `localhost`, valid for a hundred years except the expired one. */
export interface Certificate {
  cert: string;
  key: string;
}

function read(name: string): Certificate {
  const file = (ending: string) =>
    readFileSync(new URL(`./certificates/${name}.${ending}`, import.meta.url), "utf8");
  return { cert: file("crt"), key: file("key") };
}

export const CERTIFICATES = {
  good: read("good"),
  /** Expired in 2021. */
  expired: read("expired"),
  /** Issued for elsewhere.example. */
  otherHost: read("other-host"),
};
