/** An option of the command line. */
export interface OptionRow {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of its value in the help text; without one the option is a switch. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly many?: boolean;
  readonly meaning: string;
}

/** All options. The table in verbs.ts says which verb takes which. */
export const OPTIONS = [
  { name: 'json', meaning: 'print JSON (the default when stdout is not a terminal)' },
  { name: 'text', meaning: 'print text (the default on a terminal)' },
  { name: 'revision', value: 'date', meaning: 'use exactly this revision of the protocol' },
  { name: 'timeout', value: 'ms', meaning: 'how long to wait for a response, also while connecting' },
  { name: 'args', value: 'json|@file', meaning: 'all arguments as one JSON object' },
  {
    name: 'answers',
    value: 'file',
    meaning: 'answers to elicitation: a JSON object by name, message, or *; for chat see docs/chat.md',
  },
  { name: 'sample', value: 'text', meaning: 'offer sampling, and answer every sampling request with this text' },
  { name: 'roots', value: 'dirs', many: true, meaning: 'folders to offer as roots, separated by commas' },
  {
    name: 'env',
    value: 'NAME=value',
    many: true,
    meaning: 'an environment variable for the server; NAME alone passes on your own',
  },
  { name: 'header', value: 'Name: value', many: true, meaning: 'a header for every request to a server at a URL' },
  { name: 'auth', meaning: 'log in with the browser if the server at the URL asks for it' },
  {
    name: 'paste',
    meaning: 'with --auth and login: log in with a browser elsewhere, and paste the URL that it ends at',
  },
  { name: 'scope', value: 'scopes', meaning: 'with --auth and login: request these scopes, too, separated by commas' },
  { name: 'cwd', value: 'dir', meaning: 'the folder to start the server in' },
  {
    name: 'log-level',
    value: 'level',
    meaning: 'request log messages of this level and above, and print them on stderr',
  },
  { name: 'trace', meaning: 'print all traffic on stderr, including output that is not protocol' },
  { name: 'quiet', short: 'q', meaning: 'print no warnings, no progress and nothing else beside a result' },
  {
    name: 'frame',
    value: 'text',
    many: true,
    meaning: 'send this line unchanged, and print the messages that come back',
  },
  { name: 'bare', meaning: 'with --frame: without a handshake' },
  { name: 'wait', value: 'ms', meaning: 'with --frame: how long to listen after the last message (default 500)' },
  { name: 'http', value: 'port', meaning: 'with run, serve and init: serve over HTTP on this local port' },
  {
    name: 'store',
    value: 'address',
    meaning: 'with run: keep sessions, tasks and effects here, such as sqlite:./state.db (default: TENON_STORE)',
  },
  {
    name: 'bus',
    value: 'address',
    meaning:
      'with run --http: connect the nodes of the server, such as nats://localhost (default: TENON_BUS, or the store if it can)',
  },
  {
    name: 'host',
    value: 'name',
    meaning: 'with config: the host, such as claude-desktop, vscode or codex; docs/cli.md lists them',
  },
  { name: 'to', value: 'name', meaning: 'with export and config export: the host whose format to write' },
  { name: 'user', meaning: "with config: the user's file instead of the project's in this folder" },
  { name: 'file', value: 'path', meaning: 'with config: this file; with test: this file instead of mcp.test.json' },
  { name: 'replace', meaning: 'with config add: replace a server of that name' },
  {
    name: 'config',
    value: 'file',
    many: true,
    meaning: "take servers from this file instead of the project's .mcp.json; the name of the server goes last",
  },
  {
    name: 'model',
    value: 'provider/name',
    meaning:
      'with chat: anthropic/<name>, openai/<name> (or any name at OPENAI_BASE_URL), or demo, a script that needs no key',
  },
  { name: 'state', value: 'dir', meaning: 'with chat: the folder for conversations, decisions and the audit log' },
  { name: 'resume', meaning: 'with chat: continue the last conversation, or the one named next' },
  { name: 'head', value: 'hash', meaning: 'with audit: a hash that the log must contain' },
  { name: 'output', short: 'o', value: 'file', meaning: 'write the trace to this file' },
  { name: 'out', value: 'file.ts', meaning: 'with generate: write the code into this file instead of on stdout' },
  { name: 'check', meaning: 'with generate: fail if the file of --out is not up to date' },
  { name: 'session', value: 'name', meaning: 'with replay, serve and check: this session of the trace' },
  { name: 'blame', value: 'server|client', meaning: 'with check of a trace: only violations by this side' },
  {
    name: 'speed',
    value: 'n',
    meaning: 'with replay: keep the original timing; 2 is twice as fast (default: no waiting)',
  },
  { name: 'port', value: 'port', meaning: 'listen on this local port, or on the next free one; 0: any' },
  { name: 'no-open', meaning: 'with inspect: print the URL without opening a browser' },
  { name: 'lint', meaning: 'with check: names, descriptions and schemas' },
  { name: 'wire', meaning: 'with check: all messages of a session' },
  { name: 'era', value: 'all|date', meaning: 'with check: connect with every revision, or with this one' },
  {
    name: 'baseline',
    value: 'file',
    meaning: 'with check: compare with this file; if it does not exist, it is written',
  },
  { name: 'load', meaning: 'with check: send a few hundred pings at once' },
  { name: 'junit', value: 'file', meaning: 'with check: write a report for CI systems' },
  { name: 'sarif', value: 'file', meaning: 'with check: write a report for code hosts' },
  { name: 'fail-on', value: 'breaking|risky|any', meaning: 'with diff: which changes make it fail (default: none)' },
  { name: 'update', meaning: 'with test: accept the current results and write them into the file' },
  { name: 'concurrency', value: 'n', meaning: 'with load: concurrent requests (default 16)' },
  { name: 'seconds', value: 'n', meaning: 'with load: for how long (default 5)' },
  { name: 'p99', value: 'ms', meaning: 'with load: fail if the 99th percentile exceeds this' },
  { name: 'count', value: 'n', meaning: 'stop after this many changes' },
  { name: 'help', short: 'h', meaning: 'print this' },
  { name: 'version', meaning: 'print the version of tenon' },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];
