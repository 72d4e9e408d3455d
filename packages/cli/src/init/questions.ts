import type { ReadStream, WriteStream } from 'node:tty';
import { isCancel, select, text } from '@clack/prompts';
import { Failure } from '../failure/failure.ts';
import type { VerbContext } from '../session/session.ts';
import { nameProblem } from './names.ts';
import type { Project } from './project.ts';

/** What the command line says already. */
interface Given {
  /** Undefined: the user is asked, and `defaults` has the answer to Enter. */
  readonly name: string | undefined;
  readonly port: number | undefined;
  readonly defaults: { readonly name: string; readonly port: number };
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Failure('interrupted', 'interrupted', 'Interrupted: nothing was written');
  return answer as Exclude<T, symbol>;
}

/** Asks for what is missing. Without a terminal, the defaults count: a server over stdio. */
export async function askFor(
  { name, port, defaults }: Given,
  { person, interrupt }: Pick<VerbContext, 'person' | 'interrupt'>,
): Promise<Project> {
  if (person === undefined) return { name: name ?? defaults.name, port };
  const terminal = {
    input: person.input as ReadStream,
    output: person.output as WriteStream,
    signal: interrupt,
  };
  const chosen =
    name ??
    answered(
      await text({
        ...terminal,
        message: 'Name of the server',
        placeholder: defaults.name,
        defaultValue: defaults.name,
        validate: (typed) => (typed === undefined || typed === '' ? undefined : nameProblem(typed)),
      }),
    );
  if (port !== undefined) return { name: chosen, port };
  const transport = answered(
    await select({
      ...terminal,
      message: 'How do clients reach it?',
      options: [
        { value: 'stdio', label: 'stdio', hint: 'a host on the same machine starts it' },
        { value: 'http', label: 'HTTP', hint: `it serves many clients, at http://127.0.0.1:${defaults.port}/mcp` },
      ],
    }),
  );
  return { name: chosen, port: transport === 'http' ? defaults.port : undefined };
}
