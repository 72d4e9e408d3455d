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
/** What the server may ask for meanwhile. */
const ANSWERING: readonly OptionName[] = [...SERVER, 'answers', 'sample', 'roots', 'log-level'];

export const VERBS: readonly Verb[] = [
  {
    name: 'inspect',
    synopsis: '<server>',
    meaning: 'everything a server says about itself, with times',
    options: ANSWERING,
    run: async (line, world) => (await import('./verbs/inspect.ts')).inspect(line, world),
  },
  {
    name: 'list',
    synopsis: '[tools|resources|templates|prompts] <server>',
    meaning: 'what it offers',
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
    options: [...ANSWERING, 'frame', 'bare', 'wait'],
    run: async (line, world) => (await import('./verbs/raw.ts')).raw(line, world),
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
