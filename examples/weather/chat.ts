// The smallest chat: a model with the tools of one server. Works with any service that is compatible with OpenAI's chat completions.
//   OPENAI_API_KEY=… node examples/weather/chat.ts node examples/weather/server.ts
import process from 'node:process';
import { createInterface } from 'node:readline';
import { type Client, connect } from 'tenon/client';

interface ToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Message {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

const {
  OPENAI_BASE_URL: base = 'https://api.openai.com/v1',
  OPENAI_API_KEY: key = '',
  MODEL: model = 'gpt-5-mini',
} = process.env;
/** The maximum number of steps, for a model that keeps calling tools. */
const MAX_STEPS = 10;

/** Requests the model's next message. */
async function complete(messages: readonly Message[], tools: readonly object[]): Promise<Message> {
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages, tools }),
  });
  if (!response.ok) throw new Error(`The model answered with status ${response.status}`);
  return ((await response.json()) as { choices: { message: Message }[] }).choices[0]!.message;
}

/** Calls a tool for the model. Errors are returned to the model as text. */
async function call(client: Client, { id, function: { name, arguments: text } }: ToolCall): Promise<Message> {
  const content = await (async () => {
    const result = await client.result(name, JSON.parse(text) as Record<string, unknown>);
    return result.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
  })().catch((error: Error) => `Error: ${error.message}`);
  return { role: 'tool', tool_call_id: id, content };
}

/** Answers the last message of a conversation, and appends all further messages to it. */
export async function answer(client: Client, conversation: Message[]): Promise<string> {
  const tools = (await client.tools().all()).map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  for (let step = 0; step < MAX_STEPS; step++) {
    const message = await complete(conversation, tools);
    conversation.push(message);
    if (message.tool_calls === undefined || message.tool_calls.length === 0) return message.content ?? '';
    conversation.push(...(await Promise.all(message.tool_calls.map((one) => call(client, one)))));
  }
  return 'That takes too many steps.';
}

if (process.argv[1] === import.meta.filename) {
  const [command = '', ...args] = process.argv.slice(2);
  await using client = await connect({ command, args, env: { ...process.env } as Record<string, string> });
  const conversation: Message[] = [];
  process.stdout.write('> ');
  for await (const line of createInterface({ input: process.stdin })) {
    conversation.push({ role: 'user', content: line });
    console.log(await answer(client, conversation));
    process.stdout.write('> ');
  }
}
