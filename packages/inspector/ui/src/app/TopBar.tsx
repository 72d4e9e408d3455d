import type { ReactNode } from 'react';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { ServerView } from '../../../src/api/views.ts';
import { Dot } from '../parts/Badge.tsx';
import { Button, IconButton, Keys } from '../parts/Button.tsx';
import { AutoIcon, ChevronDown, MoonIcon, SearchIcon, SunIcon } from '../parts/icons.tsx';
import { Inert } from '../parts/Inert.tsx';
import { inertText } from '../parts/inert.ts';
import { keyName } from '../parts/keys.ts';
import { statusTone, statusWord } from '../parts/server-status.ts';
import type { Route } from '../route/route.ts';
import { go, useRoute } from '../route/use-route.ts';
import { screenOf } from '../screens.ts';
import { useServers } from '../store/model.ts';
import { KEPT_SERVER, useCurrentServer } from './current-server.ts';
import { HealthStrip } from './HealthStrip.tsx';
import { openPalette } from './palette-state.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';
import css from './topbar.module.css';

function Status({ server }: { readonly server: ServerView }): ReactNode {
  return (
    <>
      <Dot tone={statusTone(server.status)} busy={server.status === 'connecting'} />
      <span className={css.name}>
        <Inert text={server.name} most={60} />
      </span>
      <span className={css.about}>
        {statusWord(server.status)}
        {server.revision !== undefined && ` · ${server.revision}`}
        {server.era !== undefined && ` · ${server.era}`}
      </span>
    </>
  );
}

function Switcher({ server }: { readonly server: ServerView }): ReactNode {
  const servers = useServers();
  const route = useRoute();
  return (
    <MenuTrigger>
      <AriaButton className={css.switcher!}>
        <span className={css.said}>Server</span>
        <Status server={server} />
        <ChevronDown size={14} />
      </AriaButton>
      <Popover className={css.popover!} placement="bottom start" offset={4}>
        <Menu
          className={css.menu!}
          aria-label="Servers"
          selectionMode="single"
          selectedKeys={[server.id]}
          onAction={(id) => chooseServer(String(id), route)}
        >
          {servers.map((one) => (
            <MenuItem key={one.id} id={one.id} textValue={inertText(one.name, 60)} className={css.option!}>
              <Status server={one} />
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const THEMES = { auto: AutoIcon, light: SunIcon, dark: MoonIcon } as const;

function ThemeButton(): ReactNode {
  const theme = useTheme();
  const Icon = THEMES[theme];
  return (
    <IconButton label={`Colours: ${theme}. Change to ${NEXT[theme]}`} onPress={() => setTheme(NEXT[theme])}>
      <Icon />
    </IconButton>
  );
}

export function TopBar(): ReactNode {
  const server = useCurrentServer();
  return (
    <header className={css.bar}>
      {server === undefined ? <span className={css.about}>No server yet</span> : <Switcher server={server} />}
      {server !== undefined && <HealthStrip server={server} />}
      <span className={css.space} />
      <Button look="plain" onPress={openPalette}>
        <SearchIcon size={14} /> <span className={css.find}>Go to</span> <Keys keys={keyName('K')} />
      </Button>
      <ThemeButton />
    </header>
  );
}

/** Switches the page to another server. A screen about one server stays open and shows the new one. */
function chooseServer(id: string, route: Route): void {
  sessionStorage.setItem(KEPT_SERVER, id);
  go({ screen: screenOf(route.screen).id, server: id });
}
