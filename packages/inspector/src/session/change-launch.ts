import { withoutUndefined } from '@tenon/values/without-undefined';
import type { LaunchBody } from '../api/bodies.ts';
import { type Target, WorkbenchError } from './contract.ts';

type Launch = Target['launch'];

/** No operating system accepts such a text, and the error from starting the process does not say why. */
function checked(word: string, what: string): string {
  if (word.includes('\0')) throw new WorkbenchError('bad-request', `${what} holds the character U+0000`);
  return word;
}

function checkedName(name: string, taken: ReadonlySet<string>): string {
  if (name === '' || name.includes('=')) throw new WorkbenchError('bad-request', 'A variable needs a name without =');
  if (taken.has(name)) throw new WorkbenchError('bad-request', `The variable ${name} is there twice`);
  return checked(name, 'The name of a variable');
}

function checkedProgram(command: string): string {
  if (command.trim() === '') throw new WorkbenchError('bad-request', 'A process needs a program');
  return checked(command, 'The program');
}

/**
 * Applies changes to how a process is started: its program, arguments, variables or folder. Values to keep are named, not sent,
 * because a page does not know the secret ones. Throws a `WorkbenchError` for a server at a URL, and if a value to keep does not
 * exist.
 */
export function changedLaunch(launch: Launch, { command, cwd, args, env }: LaunchBody): Launch {
  if ('url' in launch) throw new WorkbenchError('bad-request', 'Only a server that is a process is started');
  const { env: before = {}, inheritEnv = [] } = launch;
  const values = new Map<string, string>();
  const inherited: string[] = [];
  for (const { name, value } of env) {
    checkedName(name, new Set([...values.keys(), ...inherited]));
    const kept = value ?? (Object.hasOwn(before, name) ? before[name] : undefined);
    if (kept !== undefined) values.set(name, checked(kept, `The variable ${name}`));
    else if (inheritEnv.includes(name)) inherited.push(name);
    else throw new WorkbenchError('bad-request', `There is no value of ${name} to keep`);
  }
  return withoutUndefined({
    ...launch,
    command: command === undefined ? launch.command : checkedProgram(command),
    cwd: cwd === undefined ? launch.cwd : cwd === '' ? undefined : checked(cwd, 'The folder'),
    args: args.map((arg) => {
      const word = 'keep' in arg ? launch.args[arg.keep] : arg.text;
      if (word === undefined) throw new WorkbenchError('bad-request', 'There is no such argument to keep');
      return checked(word, 'An argument');
    }),
    env: Object.fromEntries(values),
    inheritEnv: inherited,
  });
}
