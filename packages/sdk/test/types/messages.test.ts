// Compiler messages say what to write instead, in the words of the server's errors at run time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from './compile.ts';

const RIGHT = [
  'export default tool({ input: z.object({ a: z.number() }) }, ({ a }) => a.toFixed());',
  'export default tool({ input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } }, ({ a }) => a.toFixed());',
  'export default tool({ input: { type: "object" } }, (input) => `${input}`);',
  'export default tool({}, () => undefined);',
  'export default tool({}, async () => {});',
  'export default tool({}, (): never => { throw new Error(); });',
  'declare const any: any; export default tool({ input: any, output: any }, () => any);',
  'export default prompt({ input: z.object({ a: z.number() }) }, ({ a }) => a.toFixed());',
  // Helpers that pass options on.
  `import type { InputOf, PromptOptions, Schema, Tool, ToolHandler, ToolOptions } from 'tenon';
   export function described<In extends Schema>(input: In, handler: ToolHandler<In, undefined, string>): Tool<InputOf<In>, string> {
     return tool({ input, description: 'described' }, handler);
   }
   export const passed = <In extends Schema, Out extends Schema>(options: ToolOptions<In, Out>, handler: ToolHandler<In, Out, never>) => tool(options, handler);
   export const asked = <In extends Schema>(options: PromptOptions<In>) => prompt(options, () => 'x');`,
] as const;

const MEMBERS = 'this is not a schema, but the members of one: write z.object({ … })';
const WRONG: readonly (readonly [code: string, sentence: string])[] = [
  ['export default tool({ input: { a: z.number() } }, ({ a }) => `${a}`);', MEMBERS],
  ['export default tool({ input: { a: z.number() } }, (input) => `${input.a}`);', MEMBERS],
  ['export default tool({ output: { a: z.number() } }, () => ({ a: 1 }));', MEMBERS],
  ['export default prompt({ input: { a: z.string() } }, ({ a }) => a);', MEMBERS],
  [
    'export default tool({}, async (_, ctx) => { const { a } = await ctx.ask("a", "A?", { a: z.number() }); return `${a}`; });',
    MEMBERS,
  ],
  ['export default tool({}, () => ({ a: 1 }));', 'for data, give the tool an `output` schema'],
  ['export default tool({}, async () => ({ a: 1 }));', 'for data, give the tool an `output` schema'],
  ['export default tool({}, () => 5);', 'for data, give the tool an `output` schema'],
  [
    'export default tool({ annotations: { readOnlyHint: true } }, () => "x");',
    'set `readOnly`, `destructive`, `idempotent` or `openWorld` of the tool itself',
  ],
  [
    'export default tool({ inputSchema: z.object({}) }, () => "x");',
    'the schema of the arguments is the option `input`',
  ],
  [
    'export default tool({ outputSchema: z.object({}) }, () => "x");',
    'the schema of the result is the option `output`',
  ],
  [
    'export default prompt({ argsSchema: z.object({}) }, () => "x");',
    'the schema of the arguments is the option `input`',
  ],
  [
    'export default prompt({ arguments: [{ name: "a" }] }, () => "x");',
    'the arguments are described by the schema `input`',
  ],
  ['export default tool({ desciption: "x" }, () => "x");', "Did you mean to write 'description'?"],
];

test('the compiler message contains the sentence that says what to write', () => {
  const messages = compile([...RIGHT, ...WRONG.map(([code]) => code)]);
  for (const [at, code] of RIGHT.entries()) assert.equal(messages[at], '', code);
  for (const [at, [code, sentence]] of WRONG.entries()) {
    const message = messages[RIGHT.length + at]!;
    assert.ok(message.includes(sentence), `${code}\n${message}`);
  }
});
