import { type ReactNode, Suspense } from 'react';
import { useLink, useRun, useView } from '../store/model.ts';
import { useListsKept } from '../store/lists.ts';
import { useRoute } from '../route/use-route.ts';
import { screenOf } from '../screens.ts';
import { Boundary } from './Boundary.tsx';
import { LineDrawer } from './LineDrawer.tsx';
import { Locked, Waiting } from './Gate.tsx';
import { Palette } from './Palette.tsx';
import { Rail } from './Rail.tsx';
import { StatusBar } from './StatusBar.tsx';
import { TopBar } from './TopBar.tsx';
import css from './app.module.css';

/** The page: the rail of screens, the bar with the server, the current screen, and the drawer with a line of the trace. */
export function App(): ReactNode {
  const link = useLink();
  const known = useView() !== undefined;
  const run = useRun();
  if (link === 'locked') return <Locked />;
  if (!known) return <Waiting link={link} />;
  // The state of screens belongs to one run of the inspector: lines and calls of another run have the same numbers.
  return <Shell key={run} />;
}

function Shell(): ReactNode {
  useListsKept();
  const route = useRoute();
  const entry = screenOf(route.screen);
  const line = Number(route.query.get('line'));
  const drawer = Number.isSafeInteger(line) && line > 0;
  return (
    <div className={css.shell} data-drawer={drawer || undefined}>
      <a className={css.skip} href="#main" onClick={skipToMain}>
        Skip to the screen
      </a>
      <Rail current={entry} />
      <TopBar />
      <main id="main" className={css.main} tabIndex={-1}>
        <Boundary key={entry.id} what={entry.title}>
          <Suspense fallback={<p className={css.loading}>Loading {entry.title} …</p>}>
            <entry.Screen />
          </Suspense>
        </Boundary>
      </main>
      {drawer && <LineDrawer key={line} n={line} />}
      <StatusBar />
      <Palette />
    </div>
  );
}

/** The fragment is the route of the page, so the link must not change it. */
function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}
