/** The exit codes of the command. `tenon --help` and docs/cli.md are made from, and tested against, this table. */
export const EXITS = [
  { name: 'ok', exit: 0, meaning: 'the server answered, and the answer is on stdout' },
  { name: 'internal', exit: 1, meaning: 'a fault of tenon itself' },
  { name: 'usage', exit: 2, meaning: 'the command line, a file it names, or an argument cannot be used as given' },
  { name: 'auth', exit: 3, meaning: 'the server wants credentials' },
  { name: 'unreachable', exit: 4, meaning: 'the server could not be started, ended, or shares no revision with tenon' },
  { name: 'tool', exit: 5, meaning: 'the tool failed: its result, with isError, is on stdout' },
  { name: 'protocol', exit: 6, meaning: 'the server broke the protocol' },
  { name: 'timeout', exit: 7, meaning: 'no answer in time' },
  { name: 'refused', exit: 8, meaning: 'the server answered with a JSON-RPC error' },
  { name: 'check', exit: 9, meaning: 'a check, a comparison or a saved test failed' },
  {
    name: 'write_failed',
    exit: 10,
    meaning: 'the output, a trace or a report could not be written: the disk is full, for example',
  },
  { name: 'interrupted', exit: 130, meaning: 'Ctrl-C' },
] as const;

export type ExitName = (typeof EXITS)[number]['name'];

const BY_NAME: ReadonlyMap<ExitName, number> = new Map(EXITS.map(({ name, exit }) => [name, exit]));

export function exitOf(name: ExitName): number {
  return BY_NAME.get(name)!;
}
