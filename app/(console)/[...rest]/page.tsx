import { notFound } from "next/navigation";

/** An address that no other page has: the 404 page, in the shell for a signed-in user. */
export default function UnknownPage(): never {
  notFound();
}
