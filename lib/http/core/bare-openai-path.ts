const OPENAI_PATH =
  /^\/(?:audio|chat|completions|embeddings|engines|files|images|moderations|responses)(?:\/|$)/;
/** The console has a page of that name: only a request with a key means OpenAI's model list. */
const ALSO_A_PAGE = /^\/models(?:\/|$)/;

/**
 * True for an OpenAI API call at the root, as an SDK sends it when its base URL lacks `/v1`. These paths have neither
 * a page nor a route; the error tells the caller to fix the base URL.
 */
export function isBareOpenAiPath(path: string, headers: ReadonlyMap<string, string>): boolean {
  return OPENAI_PATH.test(path) || (ALSO_A_PAGE.test(path) && headers.has("authorization"));
}
