// The names of channels and users, so that people can use them instead of IDs.
import { type ApiClock, systemClock } from '../../shared/api/clock.ts';
import { collectPages } from '../../shared/api/pages.ts';
import { listChannels, readChannels } from './channel-tools.ts';
import type { Slack } from './slack-client.ts';
import type { ToolSetting } from './tool-setting.ts';
import { listUsers } from './user-tools.ts';

/** How long names are kept, in milliseconds: Slack permits 20 requests for lists per minute. */
const KEPT_MS = 300_000;
const MAX_NAMES = 2_000;
const PER_PAGE = 200;

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Gives all names, which are read again when they are too old. */
export type Names = (slack: Slack) => Promise<readonly Named[]>;

function createNames(read: Names, clock: ApiClock): Names {
  let kept: { readonly names: readonly Named[]; readonly until: number } | undefined;
  return async (slack) => {
    if (kept === undefined || kept.until <= clock.now())
      kept = { names: await read(slack), until: clock.now() + KEPT_MS };
    return kept.names;
  };
}

interface NamedItem {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** Reads all pages of a list. */
async function collectNames(
  read: (cursor: string | undefined) => Promise<{
    readonly items: readonly NamedItem[];
    readonly response_metadata: { readonly next_cursor: string };
  }>,
): Promise<readonly Named[]> {
  let cursor: string | undefined;
  const { items } = await collectPages({
    read: async () => {
      const page = await read(cursor);
      cursor = page.response_metadata.next_cursor;
      return { items: page.items, hasNext: cursor !== '' };
    },
    keyOf: ({ id }) => id,
    maxItems: MAX_NAMES,
  });
  return items.map(({ id, name }) => ({ id, name: name ?? id }));
}

export interface Directory {
  readonly channels: Names;
  readonly users: Names;
}

export function createDirectory({ teamId, channels }: ToolSetting, clock: ApiClock = systemClock): Directory {
  const common = { teamId, limit: PER_PAGE };
  return {
    channels: createNames(
      (slack) =>
        collectNames(async (cursor) => {
          if (channels !== undefined)
            return { items: (await readChannels(slack, channels)).channels, response_metadata: { next_cursor: '' } };
          const page = await listChannels(slack, { ...common, cursor });
          return { ...page, items: page.channels };
        }),
      clock,
    ),
    users: createNames(
      (slack) =>
        collectNames(async (cursor) => {
          const page = await listUsers(slack, { ...common, cursor });
          return { ...page, items: page.members };
        }),
      clock,
    ),
  };
}
