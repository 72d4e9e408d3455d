import type { CommandLine } from './command-line.ts';
import type { OptionName } from './options.ts';
import type { World } from './session.ts';

/** A verb of the command. */
export interface Verb {
  readonly name: string;
  /** What follows it, as help shows it. */
  readonly synopsis: string;
  readonly meaning: string;
  readonly options: readonly OptionName[];
  /** Loads what it needs and works. Throws a `Failure`. */
  run(line: CommandLine, world: World): Promise<void>;
}

const OUTPUT: readonly OptionName[] = ['json', 'text', 'quiet', 'help'];
const SERVER: readonly OptionName[] = [
  ...OUTPUT,
  'revision',
  'timeout',
  'header',
  'auth',
  'paste',
  'scope',
  'env',
  'cwd',
  'trace',
];
/** A server that is looked at: by its address, its command, or its name in a configuration. */
const LOOKED_AT: readonly OptionName[] = [...OUTPUT, 'config', 'output', 'revision', 'timeout', 'header', 'env', 'cwd'];
/** What the server may ask for meanwhile. */
const ANSWERING: readonly OptionName[] = [...SERVER, 'output', 'answers', 'sample', 'roots', 'log-level'];

export const VERBS: readonly Verb[] = [
  {
    name: 'inspect',
    synopsis: '<url|name|json>… <server>',
    meaning: 'see in the browser what passes between a client and these servers, and try them',
    options: [
      'config',
      'port',
      'output',
      'no-open',
      'answers',
      'roots',
      'revision',
      'header',
      'env',
      'cwd',
      'quiet',
      'help',
    ],
    run: async (line, world) => (await import('./verbs/inspect.ts')).inspect(line, world),
  },
  {
    name: 'doctor',
    synopsis: '<server>',
    meaning: 'look a server over, step by step, and say who breaks which rule',
    options: [...LOOKED_AT, 'answers', 'sample', 'roots'],
    run: async (line, world) => (await import('./verbs/doctor.ts')).doctor(line, world),
  },
  {
    name: 'check',
    synopsis: '<server>',
    meaning: 'check a server: names and schemas, every message, every revision, what changed since a baseline',
    options: [...LOOKED_AT, 'lint', 'wire', 'era', 'baseline', 'load', 'junit', 'sarif'],
    run: async (line, world) => (await import('./verbs/check.ts')).check(line, world),
  },
  {
    name: 'diff',
    synopsis: '<file|server> <file|server>',
    meaning: 'what changed between two servers, or two baselines of one, and whom it breaks',
    options: [...LOOKED_AT.filter((name) => name !== 'output'), 'fail-on'],
    run: async (line, world) => (await import('./verbs/diff.ts')).diff(line, world),
  },
  {
    name: 'test',
    synopsis: '<server>',
    meaning: 'run the calls that were kept in mcp.test.json',
    options: [...LOOKED_AT, 'file', 'update', 'answers', 'sample', 'roots'],
    run: async (line, world) => (await import('./verbs/test.ts')).test(line, world),
  },
  {
    name: 'load',
    synopsis: '[tool] [name=text | name:=json]… <server>',
    meaning: 'the same call over and over, or pings, with the times they took',
    options: [...SERVER, 'args', 'concurrency', 'seconds', 'p99'],
    run: async (line, world) => (await import('./verbs/load.ts')).load(line, world),
  },
  {
    name: 'list',
    synopsis: '[tools|resources|templates|prompts] <server>',
    meaning: 'everything a server says about itself, with times; or one of its lists',
    options: ANSWERING,
    run: async (line, world) => (await import('./verbs/list.ts')).list(line, world),
  },
  {
    name: 'call',
    synopsis: '<tool> [name=text | name:=json]… <server>',
    meaning: 'call a tool',
    options: [...ANSWERING, 'args'],
    run: async (line, world) => (await import('./verbs/call.ts')).call(line, world),
  },
  {
    name: 'read',
    synopsis: '<uri> <server>',
    meaning: 'read a resource',
    options: ANSWERING,
    run: async (line, world) => (await import('./verbs/read.ts')).read(line, world),
  },
  {
    name: 'prompt',
    synopsis: '<name> [argument=text]… <server>',
    meaning: 'get a prompt',
    options: ANSWERING,
    run: async (line, world) => (await import('./verbs/prompt.ts')).prompt(line, world),
  },
  {
    name: 'complete',
    synopsis: '<prompt|template> <argument>=<beginning> [known=text]… <server>',
    meaning: 'suggestions for an argument',
    options: SERVER,
    run: async (line, world) => (await import('./verbs/complete.ts')).complete(line, world),
  },
  {
    name: 'watch',
    synopsis: '<uri|tools|prompts|resources> <server>',
    meaning: 'one line for each change, until Ctrl-C or --count',
    options: [...ANSWERING, 'count'],
    run: async (line, world) => (await import('./verbs/watch.ts')).watch(line, world),
  },
  {
    name: 'raw',
    synopsis: '<method> [params] <server>',
    meaning: 'any request; with --frame any text',
    options: [...ANSWERING.filter((name) => name !== 'output'), 'frame', 'bare', 'wait'],
    run: async (line, world) => (await import('./verbs/raw.ts')).raw(line, world),
  },
  {
    name: 'record',
    synopsis: '[-o file] -- <command>',
    meaning: 'be the server for whoever starts this, in the configuration of a host, and write down what passes',
    options: ['output', 'env', 'cwd', 'quiet', 'help'],
    run: async (line, world) => (await import('./verbs/record.ts')).record(line, world),
  },
  {
    name: 'proxy',
    synopsis: '[-o file] <url>',
    meaning: 'stand between clients and the server at a URL, and write down what passes',
    options: [...OUTPUT, 'output', 'port', 'header'],
    run: async (line, world) => (await import('./verbs/proxy.ts')).proxy(line, world),
  },
  {
    name: 'replay',
    synopsis: '<file.mcptrace> <server>',
    meaning: 'send a server what the client of a trace sent, and compare the answers',
    options: [...OUTPUT, 'session', 'speed', 'timeout', 'output', 'header', 'auth', 'paste', 'scope', 'env', 'cwd'],
    run: async (line, world) => (await import('./verbs/replay.ts')).replay(line, world),
  },
  {
    name: 'serve',
    synopsis: '<file.mcptrace>',
    meaning:
      'be the server of a trace: answer what was asked there as it was answered, on stdin and stdout or over HTTP',
    options: ['session', 'http', 'quiet', 'help'],
    run: async (line, world) => (await import('./verbs/serve.ts')).serve(line, world),
  },
  {
    name: 'chat',
    synopsis: '[text]… [server]',
    meaning: 'talk to a language model that uses your servers; in a pipe, say this and print the answer',
    options: [
      ...OUTPUT,
      'config',
      'model',
      'state',
      'output',
      'resume',
      'answers',
      'roots',
      'header',
      'auth',
      'paste',
      'scope',
      'env',
      'cwd',
    ],
    run: async (line, world) => (await import('./verbs/chat.ts')).chat(line, world),
  },
  {
    name: 'audit',
    synopsis: 'verify <file>',
    meaning: 'is the log of a chat as it was written?',
    options: [...OUTPUT, 'head'],
    run: async (line, world) => (await import('./verbs/audit.ts')).audit(line, world),
  },
  {
    name: 'run',
    synopsis: '<file.ts|file.js|server>',
    meaning:
      'serve the default export of a file, or a server that comes with this project, on stdin and stdout, or over HTTP',
    options: ['http', 'quiet', 'help'],
    run: async (line, world) => (await import('./verbs/run.ts')).run(line, world),
  },
  {
    name: 'config',
    synopsis: 'add|list|remove|export [name] [server]',
    meaning: 'write servers into the configurations of hosts, and read them',
    options: [...OUTPUT, 'host', 'to', 'user', 'file', 'replace', 'env', 'header', 'cwd'],
    run: async (line, world) => (await import('./verbs/config.ts')).config(line, world),
  },
  {
    name: 'export',
    synopsis: '<server>',
    meaning: 'print a server as a host writes it into its configuration',
    options: [...OUTPUT, 'to', 'config', 'header', 'env', 'cwd'],
    run: async (line, world) => (await import('./verbs/export.ts')).exportServers(line, world),
  },
  {
    name: 'login',
    synopsis: '<url>',
    meaning: 'log in at a server, with the browser; what comes of it is kept for the other verbs',
    options: [...OUTPUT, 'paste', 'scope', 'timeout', 'revision', 'trace'],
    run: async (line, world) => (await import('./verbs/login.ts')).login(line, world),
  },
  {
    name: 'logout',
    synopsis: '<url>',
    meaning: 'end that login: forget it, and tell the authorization server',
    options: OUTPUT,
    run: async (line, world) => (await import('./verbs/login.ts')).logout(line, world),
  },
  {
    name: 'whoami',
    synopsis: '<url>',
    meaning: 'what is kept of it',
    options: OUTPUT,
    run: async (line, world) => (await import('./verbs/login.ts')).whoami(line, world),
  },
];
