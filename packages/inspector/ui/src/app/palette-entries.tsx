import { type ComponentType, useMemo } from 'react';
import type { ListKind } from '../../../src/api/views.ts';
import {
  type IconProps,
  PlayIcon,
  PromptIcon,
  ResourceIcon,
  ServerIcon,
  TaskIcon,
  TemplateIcon,
  ToolIcon,
} from '../parts/icons.tsx';
import { focusScreenSoon } from '../parts/focus.ts';
import { go } from '../route/use-route.ts';
import { SCREENS } from '../screens.ts';
import { useLists } from '../store/lists.ts';
import { useServers } from '../store/model.ts';
import { useOfferedActions } from './palette-state.ts';

/** An entry of the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly about?: string;
  /** Its kind, or the server to which it belongs. */
  readonly hint: string;
  readonly search: string;
  readonly icon: ComponentType<IconProps>;
  run(): void;
}

const ICONS: Readonly<Record<ListKind, ComponentType<IconProps>>> = {
  tools: ToolIcon,
  resources: ResourceIcon,
  templates: TemplateIcon,
  prompts: PromptIcon,
  tasks: TaskIcon,
};
const KIND_WORD: Readonly<Record<ListKind, string>> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
  tasks: 'task',
};

function goToScreen(to: Parameters<typeof go>[0]): void {
  go(to);
  focusScreenSoon();
}

function useOffers(): readonly PaletteEntry[] {
  const servers = useServers();
  const lists = useLists();
  return useMemo(
    () =>
      servers.flatMap((server) =>
        [...(lists.get(server.id)?.byKind.values() ?? [])].flat().map((offer) => ({
          id: `${server.id}\n${offer.kind}\n${offer.id}`,
          title: offer.id,
          about: offer.title,
          hint: servers.length > 1 ? `${KIND_WORD[offer.kind]} · ${server.name}` : KIND_WORD[offer.kind],
          search: `${offer.search} ${server.name.toLowerCase()} ${KIND_WORD[offer.kind]}`,
          icon: ICONS[offer.kind],
          run: () =>
            go({
              screen: 'explore',
              server: server.id,
              rest: [offer.kind, offer.id],
              // The screen focuses the first field of the arguments.
              query: new Map([['focus', '1']]),
            }),
        })),
      ),
    [servers, lists],
  );
}

/** All navigation targets and actions. Those of the current screen come first. */
export function usePaletteEntries(): readonly PaletteEntry[] {
  const actions = useOfferedActions();
  const servers = useServers();
  const offers = useOffers();
  return useMemo(
    () => [
      ...actions.map((action) => ({
        id: `action\n${action.id}`,
        title: action.title,
        hint: action.keys ?? action.hint ?? 'action',
        search: `${action.title} ${action.hint ?? ''}`.toLowerCase(),
        icon: PlayIcon,
        run: () => action.run(),
      })),
      ...SCREENS.map((screen) => ({
        id: `screen\n${screen.id}`,
        title: screen.title,
        hint: 'screen',
        search: `${screen.title} screen`.toLowerCase(),
        icon: screen.icon,
        run: () => goToScreen({ screen: screen.id }),
      })),
      ...servers.map((server) => ({
        id: `server\n${server.id}`,
        title: server.name,
        about: server.target,
        hint: 'server',
        search: `${server.name} server`.toLowerCase(),
        icon: ServerIcon,
        run: () => goToScreen({ screen: 'connect', server: server.id }),
      })),
      ...offers,
    ],
    [actions, servers, offers],
  );
}
