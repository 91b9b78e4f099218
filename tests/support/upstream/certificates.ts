import { readFileSync } from "node:fs";

/** Certificates for `localhost` that nobody trusts but who is given them; good for a hundred years but the expired one. */
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
  /** Ended in 2021. */
  expired: read("expired"),
  /** Made for elsewhere.example. */
  otherHost: read("other-host"),
};
