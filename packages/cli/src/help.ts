import { EXITS } from './failure/exit-codes.ts';
import { OWN_SERVERS } from './own-servers.ts';
import { type OptionRow, OPTIONS } from './command-line/options.ts';
import { type Verb, VERBS } from './verbs.ts';

function optionHead({ name, short, value }: OptionRow): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

/** Two columns. The second is never truncated, because help has to be complete. */
function rows(list: readonly (readonly [string, string])[]): string[] {
  const size = Math.max(...list.map(([head]) => head.length));
  return list.map(([head, text]) => `  ${head.padEnd(size)}  ${text}`);
}

function optionRows(options: readonly OptionRow[]): string[] {
  return rows(options.map((row) => [optionHead(row), row.meaning]));
}

/** What `tenon --help` prints. */
export function helpText(): string {
  return [
    'tenon: inspect, call and debug Model Context Protocol servers',
    '',
    'tenon <verb> [options] [arguments] <server>',
    '',
    'A server is a URL, or -- and the command that starts it, with its arguments.',
    '',
    '  tenon inspect -- npx -y @modelcontextprotocol/server-everything',
    '  tenon call get-sum a=1 b=2 -- node server.js',
    '  tenon list tools http://localhost:3000/mcp',
    '  tenon run server.ts --http 3000',
    '',
    'Verbs',
    ...VERBS.flatMap(({ name, synopsis, meaning }) => [`  ${name} ${synopsis}`, `      ${meaning}`]),
    '',
    'Arguments of call: name=text is converted as the schema of the tool says, name:=json is sent unchanged, name:=@file is read from a file.',
    'Everything after -- is passed through unchanged: the command that starts the server.',
    '',
    'Servers for run; everything after the name is passed to the server, such as --help',
    ...rows([...OWN_SERVERS]),
    '',
    'Options',
    ...optionRows(OPTIONS),
    '',
    'Exit codes',
    ...rows(EXITS.map(({ exit, meaning }) => [String(exit).padStart(3), meaning])),
    '',
    'Results are printed on stdout, everything else on stderr. Unless both are a terminal, a failure is one line of JSON,',
    'the last on stderr: {"error":{"code":"…","exit":4,"message":"…","blame":"server",…}}',
  ].join('\n');
}

/** What `tenon <verb> --help` prints. */
export function verbHelpText({ name, synopsis, meaning, options }: Verb): string {
  const list: readonly OptionRow[] = OPTIONS;
  return [
    `tenon ${name} [options] ${synopsis}`,
    `  ${meaning}`,
    '',
    'Options',
    ...optionRows(list.filter((row) => options.some((option) => option === row.name))),
  ].join('\n');
}
