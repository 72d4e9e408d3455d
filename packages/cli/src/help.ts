import { EXITS } from './failure/exit-codes.ts';
import { OWN_SERVERS } from './own-servers.ts';
import { type OptionRow, OPTIONS } from './command-line/options.ts';
import { type Verb, VERB_GROUPS, VERBS } from './verbs.ts';

function optionHead({ name, short, value }: OptionRow): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

/** Two columns. The second is never truncated, because help has to be complete. */
function rows(list: readonly (readonly [string, string])[]): string[] {
  const size = Math.max(...list.map(([head]) => head.length));
  return list.map(([head, text]) => `  ${head.padEnd(size)}  ${text}`);
}

const LINE_LENGTH = 110;

/** Words with commas between them, in indented lines. */
function wordLines(words: readonly string[]): string[] {
  const lines = [''];
  for (const [at, word] of words.entries()) {
    const text = at === words.length - 1 ? word : `${word},`;
    if (lines.at(-1)!.length + text.length > LINE_LENGTH) lines.push('');
    lines.push(`${lines.pop()!} ${text}`);
  }
  return lines.map((line) => ` ${line}`);
}

function optionRows(options: readonly OptionRow[]): string[] {
  return rows(options.map((row) => [optionHead(row), row.meaning]));
}

/** Options that at least this many verbs have are in the help of `tenon`; others are in the help of their verb. */
const COMMON = 10;

function commonOptions(): readonly OptionRow[] {
  const list: readonly OptionRow[] = OPTIONS;
  return list.filter(
    ({ name }) =>
      VERBS.filter(({ options }) => options.some((option) => option === name)).length >= COMMON || name === 'version',
  );
}

/** The output of `tenon --help`. */
export function helpText(): string {
  return [
    'tenon: inspect, call and debug Model Context Protocol servers',
    '',
    'tenon <verb> [options] [arguments] <server>',
    '',
    'A server is a URL, or -- and the command that starts it, with its arguments; or its name in the file of --config, or in .mcp.json.',
    '',
    '  tenon inspect -- npx -y @modelcontextprotocol/server-everything',
    '  tenon call get-sum a=1 b=2 -- node server.js',
    '  tenon list tools http://localhost:3000/mcp',
    '  tenon run server.ts --http 3000',
    ...VERB_GROUPS.flatMap((group) => [
      '',
      group,
      ...rows(VERBS.filter((verb) => verb.group === group).map(({ name, meaning }) => [name, meaning])),
    ]),
    '',
    'Options of most verbs; tenon <verb> --help has the arguments and all options of a verb',
    ...optionRows(commonOptions()),
    '',
    'Servers for run; tenon run --help describes them, and everything after the name is passed to the server, such as --help',
    ...wordLines([...OWN_SERVERS.keys()]),
    '',
    'Exit codes',
    ...rows(EXITS.map(({ exit, meaning }) => [String(exit).padStart(3), meaning])),
    '',
    'Results are printed on stdout, everything else on stderr. Unless both are a terminal, a failure is one line of JSON,',
    'the last on stderr: {"error":{"code":"…","exit":4,"message":"…","blame":"server",…}}',
  ].join('\n');
}

/** What the help of a verb says besides its options. */
const NOTES: Readonly<Record<string, () => readonly string[]>> = {
  call: () => [
    '',
    'name=text is converted as the schema of the tool says, name:=json is sent unchanged, name:=@file is read from a file.',
  ],
  run: () => ['', 'Servers that are run by their names; tenon run <name> --help', ...rows([...OWN_SERVERS])],
};

/** The output of `tenon <verb> --help`. */
export function verbHelpText({ name, synopsis, meaning, options }: Verb): string {
  const list: readonly OptionRow[] = OPTIONS;
  return [
    `tenon ${name} [options] ${synopsis}`,
    `  ${meaning}`,
    ...(NOTES[name]?.() ?? []),
    ...(synopsis.includes('<server>')
      ? [
          '',
          'A server is a URL, or -- and the command that starts it, which is passed through unchanged; or its name in a configuration.',
        ]
      : []),
    '',
    'Options',
    ...optionRows(list.filter((row) => options.some((option) => option === row.name))),
  ].join('\n');
}
