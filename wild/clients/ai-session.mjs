// What the clients for the AI SDK have in common: their tools are executed as `generateText` does it, through a model that asks for one.
import { finish, target } from './target.mjs';

/**
 * @param {(transport: object) => Promise<any>} createClient
 * @param {new (options: object) => object} Stdio
 * @param {object} ai  `generateText` and a model class that answers what it is told
 */
export async function session(createClient, Stdio, { generateText, stepCountIs, Model, usage, finishReason }) {
  const { url, command, env, call } = target();
  const transport =
    url === undefined ? new Stdio({ command: command[0], args: command.slice(1), env }) : { type: 'http', url };
  const client = await createClient({ transport });
  const tools = await client.tools();
  const names = Object.keys(tools);
  if (call === undefined) return finish(names);
  const answers = [
    [{ type: 'tool-call', toolCallId: 'one', toolName: call.tool, input: JSON.stringify(call.args) }],
    [{ type: 'text', text: 'done' }],
  ];
  const model = new Model({
    doGenerate: async () => {
      const content = answers.shift();
      return { content, finishReason: finishReason(content[0].type), usage, warnings: [] };
    },
  });
  const { steps } = await generateText({ model, tools, prompt: 'Call it.', stopWhen: stepCountIs(2) });
  finish(
    names,
    steps[0].content.find(({ type }) => type === 'tool-result' || type === 'tool-error'),
  );
  await client.close();
}
