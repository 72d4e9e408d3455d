import { scriptedModel, type ScriptContext, type ScriptReply } from '@tenon/host';
import { counted } from '@tenon/values/counted';

/** The name of the script for `--model`. */
export const DEMO = 'demo';

const ABOUT =
  'I am a script, not a language model: I understand nothing. I come with tenon so that you can try servers without a key. ' +
  'Write "tools" for a list of the tools, or: call <tool> {"argument": "value"}';

/** `call <tool> {json}`, anywhere on a line of its own. */
const CALL = /^call\s+(\S+)(?:\s+(\{.*\}))?\s*$/ims;

/** The user's last message, without the resources before it, because those could contain a call. */
function asked({ messages }: ScriptContext): string {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last === undefined || last.role !== 'user') return '';
  return last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1) ?? '';
}

function toolNamed(name: string, tools: readonly string[]): string {
  return tools.find((tool) => tool === name) ?? tools.find((tool) => tool.endsWith(`__${name}`)) ?? name;
}

/** The script's reply: it lists the tools, calls the named tool, and repeats the result. */
function demoStep(context: ScriptContext): ScriptReply {
  const { messages, results, tools } = context;
  // After a stopped call, the user has sent a new message.
  if (results.length > 0 && messages.at(-1)?.role !== 'user')
    return { text: `The tool returned:\n${results.join('\n')}` };
  const text = asked(context);
  const [, name, args] = CALL.exec(text) ?? [];
  if (name !== undefined) return { calls: [{ tool: toolNamed(name, tools), arguments: args ?? '{}' }] };
  if (/\btools\b/i.test(text)) {
    return {
      text:
        tools.length === 0
          ? 'There are no tools.'
          : `There ${tools.length === 1 ? 'is' : 'are'} ${counted(tools.length, 'tool')}:\n${tools.join('\n')}`,
    };
  }
  return { text: ABOUT };
}

export function demoModel() {
  return scriptedModel(demoStep, { pieceMs: 5 });
}
