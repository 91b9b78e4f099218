import { KEY_VARIABLE, literal } from "./code-samples";

/**
 * A POST of JSON as a program in Go, Java and PHP: plain HTTP with the standard library (PHP: its curl extension), so
 * that nothing has to be installed. The body is the same JSON in each, in a literal that needs the fewest escapes.
 */
export interface JsonPost {
  url: string;
  body: unknown;
}

/** What a program does with its reply, in the language of the program. */
interface ReplyCode {
  /** Further packages or classes to import. */
  imports: readonly string[];
  /** Statements, without indentation of the function around them. Each program names the reply `reply`. */
  lines: readonly string[];
}

const jsonText = (body: unknown) => JSON.stringify(body, null, 2);

const indented = (lines: readonly string[], indent: string) =>
  lines.map((line) => (line === "" ? "" : `${indent}${line}`));

/** Writes the reply to a file. */
export const goSaves = (file: string): ReplyCode => ({
  imports: [],
  lines: [
    `file, err := os.Create(${literal(file)})`,
    "if err != nil {",
    "\tlog.Fatal(err)",
    "}",
    "defer file.Close()",
    "if _, err := io.Copy(file, reply.Body); err != nil {",
    "\tlog.Fatal(err)",
    "}",
  ],
});

/** A Go program. In `reply.lines` the response is `reply`, an `*http.Response` of status 200. */
export function goProgram({ url, body }: JsonPost, reply: ReplyCode): string {
  const imports = ["io", "log", "net/http", "os", "strings", ...reply.imports];
  return [
    "package main",
    "",
    "import (",
    ...[...new Set(imports)].sort().map((one) => `\t"${one}"`),
    ")",
    "",
    // A raw string ends at a backtick: JSON has an escape for it.
    `const body = \`${jsonText(body).replaceAll("`", "\\u0060")}\``,
    "",
    "func main() {",
    `\trequest, err := http.NewRequest("POST", ${literal(url)}, strings.NewReader(body))`,
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${KEY_VARIABLE}"))`,
    '\trequest.Header.Set("Content-Type", "application/json")',
    "\treply, err := http.DefaultClient.Do(request)",
    "\tif err != nil {",
    "\t\tlog.Fatal(err)",
    "\t}",
    "\tdefer reply.Body.Close()",
    "\tif reply.StatusCode != http.StatusOK {",
    "\t\tmessage, _ := io.ReadAll(reply.Body)",
    '\t\tlog.Fatalf("%s: %s", reply.Status, message)',
    "\t}",
    ...indented(reply.lines, "\t"),
    "}",
  ].join("\n");
}

/** Which body handler reads the reply: `HttpResponse.BodyHandlers.ofString()`. */
interface JavaReplyCode extends ReplyCode {
  handler: "ofInputStream" | "ofString";
}

/** Writes the reply to a file. */
export const javaSaves = (file: string): JavaReplyCode => ({
  handler: "ofInputStream",
  imports: ["java.nio.file.Files", "java.nio.file.Path", "java.nio.file.StandardCopyOption"],
  lines: [`Files.copy(reply.body(), Path.of(${literal(file)}), StandardCopyOption.REPLACE_EXISTING);`],
});

/**
 * A Java 17 program of one file. In `reply.lines` the response is `reply`, an `HttpResponse<T>` of status 200, whose
 * body `reply.handler` reads.
 */
export function javaProgram(name: string, { url, body }: JsonPost, reply: JavaReplyCode): string {
  const imports = ["java.net.URI", "java.net.http.HttpClient", "java.net.http.HttpRequest"];
  imports.push("java.net.http.HttpResponse", ...reply.imports);
  // Backslashes are escaped in a text block; three quotes in a row do not occur in JSON.
  const lines = jsonText(body).replaceAll("\\", "\\\\").split("\n");
  const message =
    reply.handler === "ofString" ? "reply.body()" : "new String(reply.body().readAllBytes(), UTF_8)";
  if (reply.handler === "ofInputStream") imports.push("static java.nio.charset.StandardCharsets.UTF_8");
  return [
    ...imports.sort().map((one) => `import ${one};`),
    "",
    `class ${name} {`,
    "  public static void main(String[] args) throws Exception {",
    '    var body = """',
    ...indented(lines.slice(0, -1), "        "),
    `        ${lines.at(-1)}""";`,
    `    var request = HttpRequest.newBuilder(URI.create(${literal(url)}))`,
    `        .header("Authorization", "Bearer " + System.getenv("${KEY_VARIABLE}"))`,
    '        .header("Content-Type", "application/json")',
    "        .POST(HttpRequest.BodyPublishers.ofString(body))",
    "        .build();",
    "    var reply = HttpClient.newHttpClient()",
    `        .send(request, HttpResponse.BodyHandlers.${reply.handler}());`,
    "    if (reply.statusCode() != 200) {",
    `      throw new IllegalStateException(reply.statusCode() + ": " + ${message});`,
    "    }",
    ...indented(reply.lines, "    "),
    "  }",
    "}",
  ].join("\n");
}

/** A PHP script. In `lines` the body of the response, of status 200, is the string `$reply`. */
export function phpProgram({ url, body }: JsonPost, lines: readonly string[]): string {
  return [
    "<?php",
    // A nowdoc has no escapes, and no line of indented JSON begins with its end marker.
    "$body = <<<'JSON'",
    jsonText(body),
    "JSON;",
    "",
    `$request = curl_init(${phpLiteral(url)});`,
    "curl_setopt_array($request, [",
    "    CURLOPT_POSTFIELDS => $body,",
    "    CURLOPT_HTTPHEADER => [",
    `        'Authorization: Bearer ' . getenv('${KEY_VARIABLE}'),`,
    "        'Content-Type: application/json',",
    "    ],",
    "    CURLOPT_RETURNTRANSFER => true,",
    "]);",
    "$reply = curl_exec($request);",
    "if ($reply === false) {",
    "    throw new RuntimeException(curl_error($request));",
    "}",
    "$status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);",
    "if ($status !== 200) {",
    '    throw new RuntimeException("$status: $reply");',
    "}",
    ...lines,
  ].join("\n");
}

/** A string literal in single quotes, where PHP replaces no variables. */
function phpLiteral(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
