import { EXITS } from './exit-codes.ts';
import { OWN_SERVERS } from './own-servers.ts';
import { type OptionRow, OPTIONS } from './options.ts';
import { type Verb, VERBS } from './verbs.ts';

const optionHead = ({ name, short, value }: OptionRow): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;

/** Two columns: the second is never cut, because help has to say it all. */
const rows = (list: readonly (readonly [string, string])[]): string[] => {
  const size = Math.max(...list.map(([head]) => head.length));
  return list.map(([head, text]) => `  ${head.padEnd(size)}  ${text}`);
};

const optionRows = (options: readonly OptionRow[]): string[] =>
  rows(options.map((row) => [optionHead(row), row.meaning]));

/** What `tenon --help` prints. */
export const helpText = (): string =>
  [
    'tenon: look at, call and debug Model Context Protocol servers',
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
    'Arguments of call: name=text becomes what the schema of the tool wants there, name:=json goes out as it is, name:=@file from a file.',
    'Nothing after -- is looked at: it is the server, as your shell would start it.',
    '',
    'Servers for run; what follows the name is for them, such as --help',
    ...rows([...OWN_SERVERS]),
    '',
    'Options',
    ...optionRows(OPTIONS),
    '',
    'Exit codes',
    ...rows(EXITS.map(({ exit, meaning }) => [String(exit).padStart(3), meaning])),
    '',
    'A result is printed on stdout, everything else on stderr. Unless both are a terminal, a failure is one line of JSON,',
    'the last on stderr: {"error":{"code":"…","exit":4,"message":"…","blame":"server",…}}',
  ].join('\n');

/** What `tenon <verb> --help` prints. */
export const verbHelpText = ({ name, synopsis, meaning, options }: Verb): string => {
  const list: readonly OptionRow[] = OPTIONS;
  return [
    `tenon ${name} [options] ${synopsis}`,
    `  ${meaning}`,
    '',
    'Options',
    ...optionRows(list.filter((row) => options.some((option) => option === row.name))),
  ].join('\n');
};
