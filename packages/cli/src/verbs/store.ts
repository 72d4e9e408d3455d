import process from 'node:process';
import { inspectStore, migrateStore, sweepStore } from '@tenon/store';
import { counted } from '@tenon/values/counted';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import type { VerbContext } from '../session/session.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';

type Act = (address: string, screen: Screen) => Promise<void>;

function print(screen: Screen, value: object, text: string): void {
  screen.result({ json: () => JSON.stringify(value), text: () => text });
}

async function status(address: string, screen: Screen): Promise<void> {
  const report = await inspectStore(address);
  const { version, known, values, logs, characters, expired } = report;
  const tables =
    version === 0 ? 'none yet' : version === known ? `version ${version}` : `version ${version} of ${known}`;
  print(
    screen,
    report,
    [
      `tables      ${tables}`,
      `values      ${values.toLocaleString('en')}`,
      `logs        ${logs.toLocaleString('en')}`,
      `characters  ${characters.toLocaleString('en')}`,
      `expired     ${expired.toLocaleString('en')}`,
    ].join('\n'),
  );
}

async function migrate(address: string, screen: Screen): Promise<void> {
  const migrated = await migrateStore(address);
  const { before, after } = migrated;
  const text =
    before === after
      ? `The tables have version ${after} already`
      : before === 0
        ? `Created the tables, version ${after}`
        : `Updated the tables from version ${before} to ${after}`;
  print(screen, migrated, text);
}

async function sweep(address: string, screen: Screen): Promise<void> {
  const removed = await sweepStore(address);
  print(screen, { removed }, `Removed ${counted(removed, 'expired row', 'expired rows')}`);
}

const ACTS: ReadonlyMap<string, Act> = new Map([
  ['status', status],
  ['migrate', migrate],
  ['sweep', sweep],
]);

/** `tenon store status|migrate|sweep [address]` */
export async function store(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const [, name = '', given, more] = line.words;
  const act = ACTS.get(name);
  if (act === undefined || more !== undefined || line.target !== undefined)
    throw usage('What to do with which store?', 'tenon store status|migrate|sweep <address>');
  const address = given ?? process.env['TENON_STORE'] ?? '';
  if (address === '') throw usage('Which store?', `tenon store ${name} sqlite:./state.db, or set TENON_STORE`);
  try {
    await act(address, screen);
  } catch (error) {
    throw new Failure('usage', 'no_store', printable((error as Error).message), { blame: 'you' });
  }
}
