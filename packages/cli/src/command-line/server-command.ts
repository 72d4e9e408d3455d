import { existsSync } from 'node:fs';
import type { Command } from 'tenon/client';
import type { CommandLine } from './command-line.ts';
import { usage } from '../failure/failure.ts';
import { quoted, quotedCommand, scriptAsProgram, withoutScheme, wrongScheme } from './mistakes.ts';
import type { ConfiguredServer, ServerTarget } from './server-target.ts';

/**
 * The times after which a server whose stdin has ended gets SIGTERM, and then SIGKILL, in milliseconds. Short, because the user waits for
 * the prompt; a server that needs longer to clean up cannot rely on its clients anyway.
 */
const TIMES = { graceMs: 100, killMs: 200 } as const;
const HTTP = /^https?:\/\//i;

/** The server from a configuration. Throws a usage failure for options that only a command or URL of the command line can have. */
function configuredTarget(line: CommandLine, { target }: ConfiguredServer): ServerTarget {
  for (const name of ['header', 'env', 'cwd'] as const)
    if (line.given.has(name))
      throw usage(`--${name} is for servers of the command line`, 'Put it into the configuration.');
  return 'url' in target ? target : { command: { ...target.command, ...TIMES } };
}

/** The server that the command line names. Throws a usage failure. */
export function targetOf(line: CommandLine): ServerTarget {
  if (line.server !== undefined) return configuredTarget(line, line.server);
  const [first, ...more] = line.target ?? [];
  if (first === undefined || !HTTP.test(first)) {
    if (line.given.has('header')) throw usage('--header is for servers at a URL, not for commands');
    return { command: commandOf(line) };
  }
  if (more.length > 0) throw usage(`Unexpected argument '${more[0]}' after the URL`, 'Put arguments before it.');
  for (const name of ['env', 'cwd'] as const)
    if (line.given.has(name)) throw usage(`--${name} is for commands, not for servers at a URL`);
  const headers = line.values('header').map((text): [string, string] => {
    const at = text.indexOf(':');
    // The value may be a secret, so the message does not repeat it.
    if (at <= 0) throw usage('--header has no header name', "Write --header 'Name: value'.");
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  return { url: first, headers: Object.fromEntries(headers) };
}

/** How `tenon login` names the server at this URL: a configured one by its name, because its login settings are in the configuration. */
export function loginWords(line: CommandLine, url: string): string {
  if (line.server === undefined) return url;
  return [line.server.name, ...line.values('config').flatMap((file) => ['--config', file])].map(quoted).join(' ');
}

/** The command after `--`, with the options for its process. Throws a usage failure. */
export function commandOf(line: CommandLine): Command {
  const [command, ...args] = line.target ?? [];
  if (command === undefined) {
    const words = line.words.map(quoted).join(' ');
    throw usage('No server is given', `Put its command after --, or its URL: tenon ${words} -- node server.js`);
  }
  if (HTTP.test(command)) throw usage('This needs a command after --, not a URL');
  const address = args.length === 0 ? withoutScheme(command) : undefined;
  const mistake = address ?? wrongScheme(command) ?? quotedCommand(command, args) ?? scriptAsProgram(command, args);
  if (mistake !== undefined) throw mistake;
  const cwd = line.value('cwd');
  if (cwd !== undefined && !existsSync(cwd)) throw usage(`The folder ${cwd} of --cwd does not exist`);
  const variables = variablesOf(line);
  return {
    command,
    args,
    cwd,
    env: Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    inheritEnv: variables.filter(([, value]) => value === undefined).map(([name]) => name),
    ...TIMES,
  };
}

/** The variables of `--env`; undefined: the user's own value. Throws a usage failure. */
export function variablesOf(line: CommandLine): [name: string, value: string | undefined][] {
  const variables = line.values('env').map((text): [string, string | undefined] => {
    const at = text.indexOf('=');
    if (at === 0 || text === '')
      throw usage(`--env ${text} has no variable name`, 'Write --env NAME=value, or --env NAME to pass on your own.');
    return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  });
  const unset = variables.find(([name, value]) => value === undefined && process.env[name] === undefined);
  if (unset !== undefined) throw usage(`--env ${unset[0]}: this variable is not set, so it cannot be passed on`);
  return variables;
}
