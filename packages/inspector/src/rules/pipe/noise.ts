import { FRAMING } from '@tenon/values/framing';

/** The likely origin of a line on stdout that is not a message, and what to do about it. */
export interface Noise {
  readonly what: string;
  readonly fix: string;
}

const LOG = 'stdout is for messages only: log to stderr (console.error, logging to sys.stderr).';

/** The most specific first. The first match counts. */
const KINDS: readonly (readonly [fits: RegExp, what: string, fix: string])[] = [
  [/^\s*$/, 'an empty line', 'Write each message as one line, and nothing between them.'],
  [/^\ufeff/, 'a byte order mark', 'Write UTF-8 without a byte order mark (in .NET: new UTF8Encoding(false)).'],
  [/^content-length:\s*\d+/i, 'a header of the Language Server Protocol', FRAMING.fix],
  [
    /\[dotenv@|injecting env \(\d+\)/i,
    'the announcement of dotenv',
    'Call config({ quiet: true }), or set DOTENV_CONFIG_QUIET=true.',
  ],
  [
    /^(?:npm (?:warn|notice|err!|error|info|http)\b|npx:|Need to install the following packages|Ok to proceed\?|added \d+ packages?|up to date|changed \d+ packages?|found \d+ vulnerabilit|\d+ packages are looking for funding|yarn run v|> \S+@\d\S* \S+|> (?:node|npm|npx|tsx|ts-node|tsc|bun|deno|nodemon)\b)/i,
    'output of npm, npx or another runner',
    'Start the program itself (node server.js), or make the runner quiet: npm --silent run …, npx --yes --quiet ….',
  ],
  [
    /^\[?(?:nodemon|tsx|ts-node-dev|vite|bun)\]? |^\[nodemon\]/i,
    'output of a program that watches files',
    'Do not start the server for a client under a watcher, or send the words of the watcher to stderr.',
  ],
  [
    /^Traceback \(most recent call last\)|^\s+File ".*", line \d+|^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:/,
    'output of Python',
    'print(..., file=sys.stderr), and logging.basicConfig(stream=sys.stderr).',
  ],
  [
    /^[[{(].*\b(?:None|True|False)\b|^\{'|^\[?'[^']*'[,\]]/,
    'a Python value that was printed',
    'print(..., file=sys.stderr).',
  ],
  [/\u001b\[[\d;]*m/, 'coloured output for a terminal', `${LOG} Set NO_COLOR=1 to see it without colours.`],
  [
    /^(?:\[[\w:]+(?: [\w:]+)*\]\s*)?(?:Map|Set)\(\d+\) [{[]|^\[(?:Object|Function|class|Getter)|^[\w$]* ?\{ ?[\w$'"-]+: |^\[ ?\{|^\s+[\w$]+: .*,$|<ref \*\d+>/,
    'a value that was printed with console.log',
    'Use console.error, or console = new Console(process.stderr).',
  ],
  [/^\s+at .+:\d+:\d+\)?$|^(?:Uncaught )?\w*Error: /, 'an error that was printed', LOG],
  [
    /listening|started|running|ready\b|server (?:on|at)|https?:\/\/|port \d+|v\d+\.\d+\.\d+|[╔╗╚╝║═╭╮╰╯█▄▀]|^[=*#-]{5,}/i,
    'a banner',
    `${LOG} A banner belongs there too.`,
  ],
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The longest line that is examined: longer ones are not a banner. */
const LOOKED_AT = 4_000;

/** Returns whether a line contains several JSON objects. */
function hasTwo(text: string): boolean {
  const at = /\}\s*\{\s*"/.exec(text)?.index;
  return at !== undefined && text.length < 1_000_000 && isJson(text.slice(0, at + 1));
}

/** The likely origin of a text on stdout. */
export function noiseOf(text: string): Noise {
  if (text.startsWith('\ufeff{') && isJson(text.slice(1)))
    return { what: 'a message after a byte order mark', fix: KINDS[1]![2] };
  if (text.trimStart().startsWith('{')) {
    if (hasTwo(text))
      return {
        what: 'several messages in one line',
        fix: 'End each message with a line break, and write it in one piece: use one writer for stdout.',
      };
    if (isJson(text)) return jsonNoise(text);
    if (/^\s*\{\s*"jsonrpc"/.test(text))
      return {
        what: 'a part of a message',
        fix: 'Write each message in one piece, with no line break in it: use one writer for stdout, and flush before the end.',
      };
  }
  const begin = text.slice(0, LOOKED_AT);
  if (/[^\s,[{]\s*\{\s*"jsonrpc"\s*:/.test(begin))
    return {
      what: 'a message behind other text',
      fix: 'stdout is for messages only: output without a line break corrupts the message after it. Log to stderr.',
    };
  const kind = KINDS.find(([fits]) => fits.test(begin));
  return kind === undefined ? { what: 'text', fix: LOG } : { what: kind[1], fix: kind[2] };
}

/** JSON that is not a message: nearly always a line of a logger. */
function jsonNoise(text: string): Noise {
  return /"(?:level|severity|msg|message|time|timestamp|ts|logger)"\s*:/.test(text.slice(0, LOOKED_AT))
    ? {
        what: 'a line of a structured log',
        fix: 'Send the logger to stderr (pino: pino.destination(2); winston: the stderrLevels of its Console).',
      }
    : { what: 'JSON that is not a JSON-RPC message', fix: LOG };
}
