import { isObject } from '@tenon/values/is-object';
import { parseTemplate } from 'tenon/schema';
import { textLines } from './describe.ts';
import { findCuts } from './find-cuts.ts';
import { createTypeNames, type TypeNames } from './names.ts';
import { createTypePrinter, type TypePrinter } from './print-type.ts';
import { readSchema, type SchemaTypes } from './read-schema.ts';
import { type Budget, byName } from './reading.ts';
import { commentText, docComment, memberName, stringLiteral } from './source-text.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The entries of a server's lists. */
export interface Offer {
  /** The server's own name. */
  readonly server: string | undefined;
  readonly tools: readonly Entry[];
  readonly prompts: readonly Entry[];
  readonly templates: readonly Entry[];
}

/** A file that declares the types of a server's tools, prompts and templates. */
export interface ContractFile {
  readonly text: string;
  /** The number of its types that are wider than their schemas. */
  readonly wider: number;
  /** The names that occur several times in a list; the first entry counts. */
  readonly repeated: readonly string[];
}

/** The first line of generated files. It says that they may be overwritten. */
const HEADER = '// Written by `tenon generate`. Do not edit: changes are lost when it is written again.\n';
/** The maximum number of parts of schemas that are read for one file. */
const MAX_PARTS = 300_000;

/** Was a file written by `writeContract`? */
export function isContractFile(text: string): boolean {
  return text.startsWith(HEADER);
}

/** The entries by name, independent of the order of the list. */
function sorted(entries: readonly Entry[], key: string, repeated: string[]): [name: string, entry: Entry][] {
  const known = new Map<string, Entry>();
  for (const entry of entries) {
    const name = entry[key];
    if (typeof name !== 'string') continue;
    if (known.has(name)) repeated.push(name);
    else known.set(name, entry);
  }
  return [...known].sort(byName);
}

interface ToolTypes {
  readonly name: string;
  readonly comment: readonly string[];
  readonly input: SchemaTypes;
  /** Undefined: the tool declares no output schema. */
  readonly output: SchemaTypes | undefined;
}

function toolTypes(name: string, tool: Entry, names: TypeNames, budget: Budget): ToolTypes {
  const { inputSchema, outputSchema } = tool;
  const options = { names, budget };
  return {
    name,
    comment: textLines(tool),
    input: readSchema(inputSchema, { ...options, isInput: true, prefix: [name, 'input'] }),
    output: isObject(outputSchema)
      ? readSchema(outputSchema, { ...options, isInput: false, prefix: [name, 'output'] })
      : undefined,
  };
}

function printTools(tools: readonly ToolTypes[], printer: TypePrinter): string {
  const members = tools.map(({ name, comment, input, output }) =>
    [
      docComment(comment, '  '),
      `  readonly ${memberName(name)}: {\n`,
      `    readonly input: ${printer.print(input.type, '    ')};\n`,
      `    readonly output: ${output === undefined ? 'unknown' : printer.print(output.type, '    ')};\n`,
      '  };\n',
    ].join(''),
  );
  return typeOf('Tools', members);
}

function printPrompts(prompts: readonly (readonly [string, Entry])[], repeated: string[]): string {
  const members = prompts.map(([name, prompt]) => {
    const list = Array.isArray(prompt['arguments']) ? prompt['arguments'].filter(isObject) : [];
    const rows = sorted(list, 'name', repeated).map(
      ([argument, about]) =>
        `${docComment(textLines(about), '    ')}    ${memberName(argument)}${about['required'] === true ? '' : '?'}: string;\n`,
    );
    const type = rows.length === 0 ? '{ [name: string]: never }' : `{\n${rows.join('')}  }`;
    return `${docComment(textLines(prompt), '  ')}  readonly ${memberName(name)}: ${type};\n`;
  });
  return typeOf('Prompts', members);
}

function variablesOf(template: string): string {
  try {
    const { variables } = parseTemplate(template);
    return variables.length === 0 ? 'never' : variables.toSorted().map(stringLiteral).join(' | ');
  } catch {
    return 'string /* not a template of RFC 6570 */';
  }
}

function printTemplates(templates: readonly (readonly [string, Entry])[]): string {
  const members = templates.map(
    ([template, about]) =>
      `${docComment(textLines(about), '  ')}  readonly ${memberName(template)}: ${variablesOf(template)};\n`,
  );
  return typeOf('Templates', members);
}

const MEANINGS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'Tools',
    [
      'The arguments of each tool, and what `client.call` returns. Where that is `unknown`, the tool declares no output schema: it is',
      'structured content, else text, else content blocks.',
    ],
  ],
  ['Prompts', ['The arguments of each prompt.']],
  ['Templates', ['The variables of each resource template.']],
]);

function typeOf(name: string, members: readonly string[]): string {
  const body = members.length === 0 ? '{}' : `{\n${members.join('')}}`;
  return `${docComment(MEANINGS.get(name)!, '')}export type ${name} = ${body};\n`;
}

function printApp(server: string | undefined): string {
  const name = server === undefined ? 'the server' : `the server ${commentText(server, 100)}`;
  return `${docComment([`What ${name} offers: \`connect<App>(target)\` of tenon/client makes a client with these types.`], '')}export type App = Contracted<{
  readonly tools: Tools;
  readonly prompts: Prompts;
  readonly templates: Templates;
}>;
`;
}

/**
 * The types of a server's tools, prompts and templates, as a TypeScript file. The same lists produce the same bytes, whatever the order of
 * their entries and of the members of their schemas. Data of the server appears in the file only as quoted names, literals and comments.
 */
export function writeContract({ server, tools, prompts, templates }: Offer): ContractFile {
  const names = createTypeNames(['App', 'Contracted', 'Prompts', 'Templates', 'Tools']);
  const budget: Budget = { left: MAX_PARTS };
  const repeated: string[] = [];
  const types = sorted(tools, 'name', repeated).map(([name, tool]) => toolTypes(name, tool, names, budget));
  const all = types.flatMap(({ input, output }) => (output === undefined ? [input] : [input, output]));
  const named = all.flatMap((each) => each.named);
  const printer = createTypePrinter(
    findCuts(
      all.map(({ type }) => type),
      named,
    ),
  );
  const parts = [
    `${HEADER}/* eslint-disable */\nimport type { Contracted } from 'tenon/client';\n`,
    printApp(server),
    printTools(types, printer),
    printPrompts(sorted(prompts, 'name', repeated), repeated),
    printTemplates(sorted(templates, 'uriTemplate', repeated)),
    ...named.map(
      ({ name, comment, type }) => `${docComment(comment, '')}export type ${name} = ${printer.print(type, '')};\n`,
    ),
  ];
  const text = parts.join('\n');
  return { text, wider: printer.notes, repeated };
}
