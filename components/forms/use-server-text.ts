import useSWRImmutable from "swr/immutable";
import { useLocale } from "use-intl";
import { asSent, loadServerText, type ServerText } from "@/lib/client/server-text";

/**
 * Translates sentences of the server in a reply, such as why an import skips something. Sentences in errors are
 * translated already (lib/client/api.ts).
 */
export function useServerText(): ServerText {
  const { data = asSent } = useSWRImmutable(["server text", useLocale()], ([, locale]) =>
    loadServerText(locale),
  );
  return data;
}
