import { type CommandLine } from '../command-line.ts';
import { usage } from '../failure.ts';
import { collect, type Collected, KINDS, type ListKind, offers } from '../lists.ts';
import { listingText } from '../listing-text.ts';
import { withServer, type World } from '../session.ts';

const kindsNamed = (name: string | undefined): readonly ListKind[] => {
  if (name === undefined) return KINDS;
  const kind = KINDS.find((known) => known.name === name);
  if (kind === undefined)
    throw usage(`There is no list of ${name}`, `Lists are ${KINDS.map((known) => known.name).join(', ')}.`);
  return [kind];
};

/** `tenon list [tools|resources|templates|prompts]` */
export const list = async (line: CommandLine, world: World): Promise<void> => {
  const kinds = kindsNamed(line.words[1]);
  const { screen } = world;
  await withServer(line, world, async (session) => {
    const found: [ListKind, Collected][] = [];
    for (const kind of kinds) {
      if (offers(session, kind)) found.push([kind, await collect(session, kind)]);
      else if (kinds.length === 1) {
        screen.warn(`the server declares no ${kind.needs}, so it was not asked`);
        found.push([kind, { entries: [], json: '[]', ms: 0 }]);
      }
    }
    screen.result({
      json: () => `{${found.map(([{ key }, { json }]) => `"${key}":${json}`).join(',')}}`,
      text() {
        if (kinds.length === 1) return listingText(kinds[0]!.name, found[0]![1].entries, screen.columns);
        return found
          .filter(([, { entries }]) => entries.length > 0)
          .map(
            ([{ name }, { entries }]) => `${name} (${entries.length})\n${listingText(name, entries, screen.columns)}`,
          )
          .join('\n\n');
      },
    });
  });
};
