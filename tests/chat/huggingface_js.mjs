// Renders chat templates with @huggingface/jinja: one JSON request a line on stdin, one JSON answer a line on stdout.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { Template } = createRequire(process.argv[2] + "/")("@huggingface/jinja");
for await (const line of createInterface({ input: process.stdin })) {
  const { template, values } = JSON.parse(line);
  let answer;
  try {
    answer = { text: new Template(template).render(values) };
  } catch (error) {
    answer = { error: String(error && error.message) };
  }
  console.log(JSON.stringify(answer));
}
