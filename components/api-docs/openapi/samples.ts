import { type CodeSample, literal } from "../../../lib/client/code-samples";
import { goProgram, type JsonPost, javaProgram, phpProgram } from "../../../lib/client/code-samples-http";
import { authOf, type Operation } from "./document";
import {
  asCurl,
  type ExampleModels,
  exampleBody,
  exampleParameters,
  outputFile,
  pathWith,
  streamQuery,
  tokenVariable,
} from "./example";

/** What the programs send, and where they write a reply that is not text; null: they print the reply. */
interface Example {
  method: string;
  url: string;
  body: unknown;
  file: string | null;
  /** The environment variable with the bearer token; null: none is sent. */
  variable: string | null;
}

const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

function javascript({ method, url, body, file, variable }: Example): string {
  const headers = [
    ...(variable === null ? [] : [`    Authorization: \`Bearer \${process.env.${variable}}\`,`]),
    ...(body === null ? [] : ['    "Content-Type": "application/json",']),
  ];
  return [
    ...(file === null ? [] : ['import { writeFile } from "node:fs/promises";', ""]),
    `const reply = await fetch(${literal(url)}, {`,
    `  method: ${literal(method)},`,
    ...(headers.length > 0 ? ["  headers: {", ...headers, "  },"] : []),
    ...(body === null ? [] : [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), "  ")}),`]),
    "});",
    "if (!reply.ok) throw new Error(await reply.text());",
    file === null
      ? "console.log(await reply.text());"
      : `await writeFile(${literal(file)}, new Uint8Array(await reply.arrayBuffer()));`,
  ].join("\n");
}

function python({ method, url, body, file, variable }: Example): string {
  const headers = [
    ...(variable === null ? [] : [`        "Authorization": f"Bearer {os.environ['${variable}']}",`]),
    ...(body === null ? [] : ['        "Content-Type": "application/json",']),
  ];
  // A JSON text in a raw string needs no Python literals; no JSON has three single quotes outside of its strings.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "\\u0027");
  return [
    ...(variable === null ? [] : ["import os"]),
    "import urllib.request",
    "",
    ...(body === null ? [] : [`body = r"""${json}"""`, ""]),
    "request = urllib.request.Request(",
    `    ${literal(url)},`,
    `    method=${literal(method)},`,
    ...(body === null ? [] : ['    data=body.encode("utf-8"),']),
    ...(headers.length > 0 ? ["    headers={", ...headers, "    },"] : []),
    ")",
    "with urllib.request.urlopen(request) as reply:",
    ...(file === null
      ? ['    print(reply.read().decode("utf-8"))']
      : [`    with open(${literal(file)}, "wb") as file:`, "        file.write(reply.read())"]),
  ].join("\n");
}

/** Go, Java and PHP, for a POST of JSON with a key: what programs send to the gateway. */
function programs(post: JsonPost, file: string | null): CodeSample[] {
  const go = goProgram(
    post,
    file === null
      ? {
          imports: ["fmt"],
          lines: [
            "text, err := io.ReadAll(reply.Body)",
            "if err != nil {",
            "\tlog.Fatal(err)",
            "}",
            "fmt.Println(string(text))",
          ],
        }
      : {
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
        },
  );
  const java = javaProgram(
    "Example",
    post,
    file === null
      ? { imports: [], handler: "ofString", lines: ["System.out.println(reply.body());"] }
      : {
          imports: ["java.nio.file.Files", "java.nio.file.Path", "java.nio.file.StandardCopyOption"],
          handler: "ofInputStream",
          lines: [
            `Files.copy(reply.body(), Path.of(${literal(file)}), StandardCopyOption.REPLACE_EXISTING);`,
          ],
        },
  );
  const php = phpProgram(post, [
    file === null ? "echo $reply, PHP_EOL;" : `file_put_contents(${literal(file)}, $reply);`,
  ]);
  return [
    { id: "go", title: "Go", language: "go", install: null, code: go },
    { id: "java", title: "Java", language: "java", install: null, code: java },
    { id: "php", title: "PHP", language: "php", install: null, code: php },
  ];
}

/** The request of an endpoint in every language of the samples; with a session, which programs do not have, in curl. */
export function operationSamples(operation: Operation, origin: string, models: ExampleModels): CodeSample[] {
  const path = pathWith(operation, exampleParameters(operation, models), streamQuery(operation));
  const example: Example = {
    method: operation.method,
    url: `${origin}${path}`,
    body: exampleBody(operation, models),
    file: outputFile(operation),
    variable: tokenVariable(operation),
  };
  const { method, url, body, file, variable } = example;
  const curl: CodeSample = {
    id: "curl",
    title: "curl",
    language: "bash",
    install: null,
    code: asCurl(operation, origin, models),
  };
  if (authOf(operation) === "session") return [curl];
  return [
    curl,
    {
      id: "openai-js",
      title: "JavaScript",
      language: "javascript",
      install: null,
      code: javascript(example),
    },
    { id: "python", title: "Python", language: "python", install: null, code: python(example) },
    ...(method === "POST" && body !== null && variable !== null ? programs({ url, body }, file) : []),
  ];
}
