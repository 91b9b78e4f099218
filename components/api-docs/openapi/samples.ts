import { type CodeSample, codeSample, literal } from "../../../lib/client/code-samples";
import {
  goProgram,
  goSaves,
  type JsonPost,
  javaProgram,
  javaSaves,
  phpProgram,
} from "../../../lib/client/code-samples-http";
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

/** The request that the sample programs send. */
interface Example {
  method: string;
  url: string;
  body: unknown;
  /** The file that a reply that is not text is written to; null: the program prints the reply. */
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
  // A raw string keeps the JSON text as it is, without Python literals; JSON never has three double quotes in a row.
  const json = JSON.stringify(body, null, 2);
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

const GO_PRINTS = {
  imports: ["fmt"],
  lines: [
    "text, err := io.ReadAll(reply.Body)",
    "if err != nil {",
    "\tlog.Fatal(err)",
    "}",
    "fmt.Println(string(text))",
  ],
};
const JAVA_PRINTS = {
  imports: [],
  handler: "ofString",
  lines: ["System.out.println(reply.body());"],
} as const;

/** Samples in Go, Java and PHP, only for a POST of JSON with a token: what programs send to the gateway. */
function programs(post: JsonPost, file: string | null): CodeSample[] {
  const php = file === null ? "echo $reply, PHP_EOL;" : `file_put_contents(${literal(file)}, $reply);`;
  return [
    codeSample("go", goProgram(post, file === null ? GO_PRINTS : goSaves(file))),
    codeSample("java", javaProgram("Example", post, file === null ? JAVA_PRINTS : javaSaves(file))),
    codeSample("php", phpProgram(post, [php])),
  ];
}

/** The request of an endpoint in every sample language; only in curl if it needs a session, which programs lack. */
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
  const curl = codeSample("curl", asCurl(operation, origin, models));
  if (authOf(operation) === "session") return [curl];
  return [
    curl,
    codeSample("openai-js", javascript(example), { title: "JavaScript", install: null }),
    codeSample("python", python(example), { install: null }),
    ...(method === "POST" && body !== null && variable !== null ? programs({ url, body }, file) : []),
  ];
}
