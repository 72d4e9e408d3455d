/** An option of the command line. */
export interface OptionRow {
  readonly name: string;
  readonly short?: string;
  /** How help calls its value; without one it is a switch. */
  readonly value?: string;
  /** May it be given several times? */
  readonly many?: boolean;
  readonly meaning: string;
}

/** Every option there is. Which verb takes which is said in verbs.ts. */
export const OPTIONS = [
  { name: 'json', meaning: 'print JSON (the default when stdout is no terminal)' },
  { name: 'text', meaning: 'print text (the default on a terminal)' },
  { name: 'revision', value: 'date', meaning: 'speak exactly this revision of the protocol' },
  { name: 'timeout', value: 'ms', meaning: 'longest wait for an answer, connecting included' },
  { name: 'args', value: 'json|@file', meaning: 'all arguments as one JSON object' },
  {
    name: 'answers',
    value: 'file',
    meaning: 'answers for questions of the server: a JSON object by name, message, or *; for chat see docs/chat.md',
  },
  { name: 'sample', value: 'text', meaning: 'offer sampling, and answer every request for it with this text' },
  { name: 'roots', value: 'dirs', many: true, meaning: 'folders the server may know of, separated by commas' },
  {
    name: 'env',
    value: 'NAME=value',
    many: true,
    meaning: "a variable for the server; NAME alone passes on one's own",
  },
  { name: 'header', value: 'Name: value', many: true, meaning: 'a header for every request to a server at a URL' },
  { name: 'auth', meaning: 'log in with the browser if the server at the URL asks for it' },
  {
    name: 'paste',
    meaning: 'with --auth and login: log in with a browser elsewhere, and paste the address it ends at',
  },
  { name: 'scope', value: 'scopes', meaning: 'with --auth and login: ask for these scopes, too' },
  { name: 'cwd', value: 'dir', meaning: 'the folder to start the server in' },
  { name: 'log-level', value: 'level', meaning: 'ask for log messages from this level on, and print them on stderr' },
  { name: 'trace', meaning: 'print on stderr all that passes, and all that is not protocol' },
  { name: 'quiet', short: 'q', meaning: 'print no warnings and no progress' },
  { name: 'frame', value: 'text', many: true, meaning: 'send this line as it is, and print what comes back' },
  { name: 'bare', meaning: 'with --frame: without a handshake before' },
  { name: 'wait', value: 'ms', meaning: 'with --frame: how long to listen after the last message (default 500)' },
  { name: 'http', value: 'port', meaning: 'with run and serve: serve over HTTP at this port of this machine' },
  { name: 'host', value: 'name', meaning: 'with config: claude-desktop, claude-code, vscode, cursor, goose' },
  { name: 'to', value: 'name', meaning: 'with export and config export: the host to write it for' },
  { name: 'user', meaning: 'with config: the file of the user, not that of the project in this folder' },
  { name: 'file', value: 'path', meaning: 'with config: this file; with test: this one instead of mcp.test.json' },
  { name: 'replace', meaning: 'with config add: replace a server of that name' },
  {
    name: 'config',
    value: 'file',
    many: true,
    meaning: 'servers of this file, not of the .mcp.json of the project',
  },
  {
    name: 'model',
    value: 'provider/name',
    meaning:
      'with chat: anthropic/<name>, openai/<name> (or any name at OPENAI_BASE_URL), or demo, a script that needs no key',
  },
  { name: 'state', value: 'dir', meaning: 'with chat: the folder for conversations, decisions and the audit log' },
  { name: 'resume', meaning: 'with chat: go on with the last conversation, or with the one that is named next' },
  { name: 'head', value: 'hash', meaning: 'with audit: a hash that the log must still have' },
  { name: 'output', short: 'o', value: 'file', meaning: 'keep the trace in this file' },
  { name: 'session', value: 'name', meaning: 'with replay and serve: this session of the trace' },
  {
    name: 'speed',
    value: 'n',
    meaning: 'with replay: keep the time it took, 1 as it was, 2 twice as fast (default: no waiting)',
  },
  { name: 'port', value: 'port', meaning: 'listen at this port of this machine, or at the next that is free' },
  { name: 'no-open', meaning: 'with inspect: print the address, and open no browser' },
  { name: 'lint', meaning: 'with check: names, descriptions and schemas' },
  { name: 'wire', meaning: 'with check: every message of a session' },
  { name: 'era', value: 'all|date', meaning: 'with check: connect with every revision, or with this one' },
  {
    name: 'baseline',
    value: 'file',
    meaning: 'with check: compare with this; if there is no such file, it is written',
  },
  { name: 'load', meaning: 'with check: send a few hundred pings at once' },
  { name: 'junit', value: 'file', meaning: 'with check: write a report for CI systems' },
  { name: 'sarif', value: 'file', meaning: 'with check: write a report for code hosts' },
  { name: 'fail-on', value: 'breaking|risky|any', meaning: 'with diff: which changes are a failure (default: none)' },
  { name: 'update', meaning: 'with test: what comes now is right; write it into the file' },
  { name: 'concurrency', value: 'n', meaning: 'with load: requests under way at once (default 16)' },
  { name: 'seconds', value: 'n', meaning: 'with load: for how long (default 5)' },
  { name: 'p99', value: 'ms', meaning: 'with load: fail if the 99th percentile is above' },
  { name: 'count', value: 'n', meaning: 'stop after so many changes' },
  { name: 'help', short: 'h', meaning: 'print this' },
  { name: 'version', meaning: 'print the version of tenon' },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];
