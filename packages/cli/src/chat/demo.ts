import { scriptedModel, type ScriptContext, type ScriptReply } from '@tenon/host';

/** The name of the script, as it is given with --model. */
export const DEMO = 'demo';

const ABOUT =
  'I am a script, not a language model: I understand nothing. I come with tenon so that you can try servers without a key. ' +
  'Write "tools" for a list of the tools, or: call <tool> {"argument": "value"}';

/** `call <tool> {json}`, anywhere on a line of its own. */
const CALL = /^call\s+(\S+)(?:\s+(\{.*\}))?\s*$/ims;

/** What the person wrote last. Resources come before it, and are not looked at: they could hold a call. */
const asked = ({ messages }: ScriptContext): string => {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last === undefined || last.role !== 'user') return '';
  return last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1) ?? '';
};

const toolNamed = (name: string, tools: readonly string[]): string =>
  tools.find((tool) => tool === name) ?? tools.find((tool) => tool.endsWith(`__${name}`)) ?? name;

/** What the script says: it lists tools, calls the one it is told to, and repeats what came back. */
const demoStep = (context: ScriptContext): ScriptReply => {
  const { results, tools } = context;
  if (results.length > 0) return { text: `The tool said:\n${results.join('\n')}` };
  const text = asked(context);
  const [, name, args] = CALL.exec(text) ?? [];
  if (name !== undefined) return { calls: [{ tool: toolNamed(name, tools), arguments: args ?? '{}' }] };
  if (/\btools\b/i.test(text)) {
    return {
      text: tools.length === 0 ? 'There are no tools.' : `There are ${tools.length} tools:\n${tools.join('\n')}`,
    };
  }
  return { text: ABOUT };
};

export const demoModel = () => scriptedModel(demoStep, { pieceMs: 5 });
