/** The path with its query, if there is one. `URLSearchParams.size` is missing in Safari 16 and Chrome 112. */
export function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
