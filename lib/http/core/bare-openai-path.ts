const OPENAI_PATH =
  /^\/(?:audio|chat|completions|embeddings|engines|files|images|moderations|responses)(?:\/|$)/;
/** The console has a page of that name: only who shows a key means OpenAI's list. */
const ALSO_A_PAGE = /^\/models(?:\/|$)/;

/**
 * True for a call of OpenAI's API at the root, as an SDK makes it whose base URL lacks `/v1`. No page stands at these
 * paths, and there is no route either: who comes here is told what to mend.
 */
export function isBareOpenAiPath(path: string, headers: ReadonlyMap<string, string>): boolean {
  return OPENAI_PATH.test(path) || (ALSO_A_PAGE.test(path) && headers.has("authorization"));
}
