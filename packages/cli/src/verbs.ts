import type { CommandLine } from './command-line/command-line.ts';
import type { OptionName } from './command-line/options.ts';
import type { VerbContext } from './session/session.ts';

/** The headings of the help text, in their order. */
export const VERB_GROUPS = [
  'Look at a server',
  'Call a server',
  'Record and replay',
  'Use and configure hosts',
  'Write and serve a server',
  'Log in, and set up the shell',
] as const;

export type VerbGroup = (typeof VERB_GROUPS)[number];

/** A subcommand of `tenon`. */
export interface Verb {
  readonly name: string;
  /** The arguments after its name, as the help text shows them. */
  readonly synopsis: string;
  readonly meaning: string;
  readonly options: readonly OptionName[];
  /** The heading of the help text for it. */
  readonly group: VerbGroup;
  /** The minimum number of arguments before the name of a configured server. Undefined: the verb finds its server itself. */
  readonly serverAfter?: number;
  /** Loads the verb's module and runs it. Throws a `Failure`. */
  run(line: CommandLine, context: VerbContext): Promise<void>;
}

const OUTPUT: readonly OptionName[] = ['json', 'text', 'quiet', 'help'];
const SERVER: readonly OptionName[] = [
  ...OUTPUT,
  'config',
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
/** Options of verbs that inspect a server, given by its URL, its command, or its name in a configuration. */
const INSPECTING: readonly OptionName[] = [
  ...OUTPUT,
  'config',
  'output',
  'revision',
  'timeout',
  'header',
  'env',
  'cwd',
];
/** Options of verbs during which the server may use client features. */
const ANSWERING: readonly OptionName[] = [...SERVER, 'output', 'answers', 'sample', 'roots', 'log-level'];
/** These options change the form of a result or a trace. Code has only one form. */
const NOT_FOR_CODE: ReadonlySet<OptionName> = new Set(['json', 'text', 'output']);

export const VERBS: readonly Verb[] = [
  {
    name: 'inspect',
    group: 'Look at a server',
    synopsis: '<url|name|json>… <server>',
    meaning: 'try servers in the browser, and see every message',
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
    run: async (line, context) => (await import('./verbs/inspect.ts')).inspect(line, context),
  },
  {
    name: 'doctor',
    group: 'Look at a server',
    synopsis: '<server>',
    meaning: 'check a server step by step, and say who breaks which rule',
    options: [...INSPECTING, 'answers', 'sample', 'roots'],
    run: async (line, context) => (await import('./verbs/doctor.ts')).doctor(line, context),
  },
  {
    name: 'check',
    group: 'Look at a server',
    synopsis: '<server|file.mcptrace>',
    meaning:
      'check a server: names and schemas, every message, every revision, what changed since a baseline; of a trace: who broke which rule',
    options: [...INSPECTING, 'lint', 'wire', 'era', 'baseline', 'load', 'junit', 'sarif', 'session', 'blame'],
    run: async (line, context) => (await import('./verbs/check.ts')).check(line, context),
  },
  {
    name: 'diff',
    group: 'Look at a server',
    synopsis: '<file|server> <file|server>',
    meaning: 'what changed between two servers, or two baselines of one, and whether it breaks clients',
    options: [...INSPECTING.filter((name) => name !== 'output'), 'fail-on'],
    run: async (line, context) => (await import('./verbs/diff.ts')).diff(line, context),
  },
  {
    name: 'test',
    group: 'Look at a server',
    synopsis: '<server>',
    meaning: 'run the calls saved in mcp.test.json',
    options: [...INSPECTING, 'file', 'update', 'answers', 'sample', 'roots'],
    run: async (line, context) => (await import('./verbs/test.ts')).test(line, context),
  },
  {
    name: 'load',
    group: 'Look at a server',
    serverAfter: 0,
    synopsis: '[tool] [name=text | name:=json]… <server>',
    meaning: 'send the same call, or pings, over and over, and measure the response times',
    options: [...SERVER, 'args', 'concurrency', 'seconds', 'p99'],
    run: async (line, context) => (await import('./verbs/load.ts')).load(line, context),
  },
  {
    name: 'list',
    group: 'Call a server',
    serverAfter: 0,
    synopsis: '[tools|resources|templates|prompts] <server>',
    meaning: 'everything a server offers, with response times; or one of its lists',
    options: ANSWERING,
    run: async (line, context) => (await import('./verbs/list.ts')).list(line, context),
  },
  {
    name: 'call',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<tool> [name=text | name:=json]… <server>',
    meaning: 'call a tool',
    options: [...ANSWERING, 'args'],
    run: async (line, context) => (await import('./verbs/call.ts')).call(line, context),
  },
  {
    name: 'task',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<list|show|wait|cancel> [id] <server>',
    meaning: 'the tasks that a server runs: list them, show, wait for or cancel one',
    options: [...SERVER, 'answers'],
    run: async (line, context) => (await import('./verbs/task.ts')).task(line, context),
  },
  {
    name: 'read',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<uri> <server>',
    meaning: 'read a resource',
    options: ANSWERING,
    run: async (line, context) => (await import('./verbs/read.ts')).read(line, context),
  },
  {
    name: 'prompt',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<name> [argument=text]… <server>',
    meaning: 'get a prompt',
    options: ANSWERING,
    run: async (line, context) => (await import('./verbs/prompt.ts')).prompt(line, context),
  },
  {
    name: 'complete',
    group: 'Call a server',
    serverAfter: 2,
    synopsis: '<prompt|template> <argument>=<beginning> [known=text]… <server>',
    meaning: 'suggestions for an argument',
    options: SERVER,
    run: async (line, context) => (await import('./verbs/complete.ts')).complete(line, context),
  },
  {
    name: 'watch',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<uri|tools|prompts|resources> <server>',
    meaning: 'print a line for each change, until Ctrl-C or --count',
    options: [...ANSWERING, 'count'],
    run: async (line, context) => (await import('./verbs/watch.ts')).watch(line, context),
  },
  {
    name: 'raw',
    group: 'Call a server',
    serverAfter: 1,
    synopsis: '<method> [params] <server>',
    meaning: 'send any request; with --frame any text',
    options: [...ANSWERING.filter((name) => name !== 'output'), 'frame', 'bare', 'wait'],
    run: async (line, context) => (await import('./verbs/raw.ts')).raw(line, context),
  },
  {
    name: 'generate',
    group: 'Call a server',
    serverAfter: 0,
    synopsis: '<server>',
    meaning: 'write the types of what a server offers as TypeScript, for typed calls',
    options: [...ANSWERING.filter((name) => !NOT_FOR_CODE.has(name)), 'out', 'check'],
    run: async (line, context) => (await import('./verbs/generate.ts')).generate(line, context),
  },
  {
    name: 'record',
    group: 'Record and replay',
    synopsis: '[-o file] -- <command>',
    meaning:
      "record the traffic between a host and this server; goes into the host's configuration in place of the command",
    options: ['output', 'env', 'cwd', 'quiet', 'help'],
    run: async (line, context) => (await import('./verbs/record.ts')).record(line, context),
  },
  {
    name: 'proxy',
    group: 'Record and replay',
    synopsis: '[-o file] <url>',
    meaning: 'record the traffic between clients and the server at a URL',
    options: [...OUTPUT, 'output', 'port', 'header'],
    run: async (line, context) => (await import('./verbs/proxy.ts')).proxy(line, context),
  },
  {
    name: 'replay',
    group: 'Record and replay',
    synopsis: '<file.mcptrace> <server>',
    meaning: 'send the requests of a trace to a server, and compare the responses',
    options: [...OUTPUT, 'session', 'speed', 'timeout', 'output', 'header', 'auth', 'paste', 'scope', 'env', 'cwd'],
    run: async (line, context) => (await import('./verbs/replay.ts')).replay(line, context),
  },
  {
    name: 'serve',
    group: 'Record and replay',
    synopsis: '<file.mcptrace>',
    meaning: 'serve the recorded responses of a trace, on stdin and stdout or over HTTP',
    options: ['session', 'http', 'quiet', 'help'],
    run: async (line, context) => (await import('./verbs/serve.ts')).serve(line, context),
  },
  {
    name: 'chat',
    group: 'Use and configure hosts',
    synopsis: '[text]… [server]',
    meaning: 'chat with a language model that uses your servers; in a pipe, send this text and print the answer',
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
    run: async (line, context) => (await import('./verbs/chat.ts')).chat(line, context),
  },
  {
    name: 'audit',
    group: 'Use and configure hosts',
    synopsis: 'verify <file>',
    meaning: 'check that the audit log of a chat has not been changed',
    options: [...OUTPUT, 'head'],
    run: async (line, context) => (await import('./verbs/audit.ts')).audit(line, context),
  },
  {
    name: 'init',
    group: 'Write and serve a server',
    synopsis: '[folder]',
    meaning: 'make a project with a server, a test, a client configuration and a container file',
    options: [...OUTPUT, 'http'],
    run: async (line, context) => (await import('./verbs/init.ts')).init(line, context),
  },
  {
    name: 'run',
    group: 'Write and serve a server',
    synopsis: '<file.ts|file.js|server>',
    meaning:
      'serve the default export of a file, or a server that comes with this project, on stdin and stdout, or over HTTP',
    options: ['http', 'store', 'bus', 'quiet', 'help'],
    run: async (line, context) => (await import('./verbs/run.ts')).run(line, context),
  },
  {
    name: 'store',
    group: 'Write and serve a server',
    synopsis: 'status|migrate|sweep [address]',
    meaning: 'look at the store of a server (default: TENON_STORE), update its tables, or remove what has expired',
    options: OUTPUT,
    run: async (line, context) => (await import('./verbs/store.ts')).store(line, context),
  },
  {
    name: 'config',
    group: 'Use and configure hosts',
    synopsis: 'add|list|remove|export [name] [folder]… [server]',
    meaning: 'add, list, remove and convert servers in the configurations of hosts',
    options: [...OUTPUT, 'host', 'to', 'user', 'file', 'replace', 'env', 'header', 'cwd'],
    run: async (line, context) => (await import('./verbs/config.ts')).config(line, context),
  },
  {
    name: 'export',
    group: 'Use and configure hosts',
    synopsis: '<server>',
    meaning: "print a server in the format of a host's configuration",
    options: [...OUTPUT, 'to', 'config', 'header', 'env', 'cwd'],
    run: async (line, context) => (await import('./verbs/export.ts')).exportServers(line, context),
  },
  {
    name: 'login',
    group: 'Log in, and set up the shell',
    serverAfter: 0,
    synopsis: '<server>',
    meaning: 'log in to a server with the browser; the other verbs use the stored login',
    options: [...OUTPUT, 'config', 'paste', 'scope', 'timeout', 'revision', 'trace', 'output'],
    run: async (line, context) => (await import('./verbs/login.ts')).login(line, context),
  },
  {
    name: 'logout',
    group: 'Log in, and set up the shell',
    serverAfter: 0,
    synopsis: '<server>',
    meaning: 'log out: delete the stored login and revoke it at the authorization server',
    options: [...OUTPUT, 'config'],
    run: async (line, context) => (await import('./verbs/login.ts')).logout(line, context),
  },
  {
    name: 'whoami',
    group: 'Log in, and set up the shell',
    serverAfter: 0,
    synopsis: '<server>',
    meaning: 'show the stored login',
    options: [...OUTPUT, 'config'],
    run: async (line, context) => (await import('./verbs/login.ts')).whoami(line, context),
  },
  {
    name: 'completion',
    group: 'Log in, and set up the shell',
    synopsis: 'bash|zsh|fish',
    meaning: 'print a script with which the shell completes verbs, options and names of servers',
    options: ['help'],
    run: async (line, context) => (await import('./verbs/completion.ts')).completion(line, context, VERBS),
  },
];
