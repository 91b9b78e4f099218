import useSWRImmutable from "swr/immutable";
import { useLocale } from "use-intl";
import { asSent, loadServerText, type ServerText } from "@/lib/client/server-text";

/** Translates the server's sentences in a reply, such as why an import skips something; those of errors are translated. */
export function useServerText(): ServerText {
  const { data = asSent } = useSWRImmutable(["server text", useLocale()], ([, locale]) =>
    loadServerText(locale),
  );
  return data;
}
