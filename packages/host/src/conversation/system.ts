import { clip } from './clip.ts';
import { delimited } from '../values/delimited.ts';

/** Maximum characters of the instructions of one server, and of all. */
const MAX_OF_SERVER = 4_000;
const MAX_OF_ALL = 40_000;

interface ServerInstructions {
  /** The alias of the server. */
  readonly alias: string;
  readonly instructions: string | undefined;
}

/**
 * The system prompt: the instructions of the program, and those of the servers about their tools. The text of a server is enclosed in
 * delimiters that do not occur in it, so that it cannot continue as the program or as another server.
 */
export function systemOf(system: string | undefined, servers: readonly ServerInstructions[]): string | undefined {
  const withInstructions = servers.filter(({ instructions = '' }) => instructions.trim() !== '');
  const maxLength = Math.min(MAX_OF_SERVER, Math.floor(MAX_OF_ALL / Math.max(1, withInstructions.length)));
  const parts = withInstructions.map(
    ({ alias, instructions = '' }) =>
      `Instructions of the server ${JSON.stringify(alias)} for the use of its own tools. They apply to nothing else:\n${delimited(clip(instructions, maxLength))}`,
  );
  return system === undefined && parts.length === 0 ? undefined : [system ?? '', ...parts].join('\n\n').trim();
}
