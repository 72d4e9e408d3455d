import { isObject } from '@tenon/values/is-object';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { appOf } from 'tenon/apps';
import type { AppAnswer, ServerView } from '../../../../../src/api/views.ts';
import { Badge } from '../../../parts/Badge.tsx';
import { Button } from '../../../parts/Button.tsx';
import { Choice } from '../../../parts/Choice.tsx';
import { Inert, OutLink } from '../../../parts/Inert.tsx';
import { safeLink } from '../../../parts/inert.ts';
import { useTheme } from '../../../app/theme.ts';
import { api } from '../../../store/api.ts';
import { type Offer, useLists } from '../../../store/lists.ts';
import { sendRequest } from '../../../store/requests.ts';
import {
  AppError,
  type AppHost,
  type AppNote,
  createAppHost,
  type HostContext,
  MAX_HEIGHT,
  type Message,
} from './app-host.ts';
import { parsed } from './tool-entry.ts';
import css from './apps.module.css';

interface Shown {
  readonly frame: string;
  readonly origin: string;
  readonly html: string;
  /** The arguments of the call. */
  readonly input: unknown;
}

type State = { readonly shown: Shown } | { readonly problem: string } | undefined;

/** How long the frame may take to load before a problem is shown, in milliseconds. */
const FRAME_MS = 10_000;
const FIRST_HEIGHT = 240;
const MAX_NOTES = 50;

/** Sends a request of an app to its server. */
async function ask(server: string, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const body = { method, params: JSON.stringify(params), key: crypto.randomUUID() };
  const { result, error, problem } = await sendRequest(server, body);
  if (result !== undefined) return JSON.parse(result);
  const { code = -32_603, message } = JSON.parse(error ?? '{}') as { code?: number; message?: string };
  throw new AppError(code, message ?? problem?.message ?? 'The server did not answer');
}

/** The URL of the frame for a page, with its allowed origins. */
function addressOf(frame: string, { csp = {} }: AppAnswer): string {
  const url = new URL(frame);
  for (const [name, origins] of [
    ['connect', csp.connectDomains],
    ['resource', csp.resourceDomains],
    ['frame', csp.frameDomains],
    ['base', csp.baseUriDomains],
  ] as const)
    for (const origin of Array.isArray(origins) ? origins : []) url.searchParams.append(name, String(origin));
  return url.href;
}

/** The arguments of a call, from its line in the trace. */
async function argumentsOf(request: number | undefined): Promise<unknown> {
  if (request === undefined) return undefined;
  const { lines } = await api.lines({ query: { n: [request] } });
  const { params } = parsed(lines[0]?.text ?? '');
  return isObject(params) ? params['arguments'] : undefined;
}

/** Loads the page of the app, its data, and the URL of its frame. */
function usePage(server: string, uri: string, request: number | undefined, edition: number): State {
  const of = JSON.stringify([server, uri, request, edition]);
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly state: State }>();
  useEffect(() => {
    let isOver = false;
    const set = (state: State): void => void (isOver || setLoaded({ of, state }));
    const read = async (): Promise<Shown> => {
      const [{ frame, origin }, page, input] = await Promise.all([
        api.sandbox(),
        api.app({ parts: { id: server }, body: { uri } }),
        argumentsOf(request),
      ]);
      return { frame: addressOf(frame, page), origin, html: page.html, input };
    };
    read().then(
      (shown) => set({ shown }),
      (error: unknown) => set({ problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => void (isOver = true);
  }, [server, uri, request, of]);
  // What was loaded before would be shown in the new frame, until it is replaced.
  return loaded?.of === of ? loaded.state : undefined;
}

/** Returns a function that says whether the apps of a server may call a tool. */
function useToolsForApps(server: string): (name: string) => boolean {
  const offers = useLists().get(server)?.byKind.get('tools');
  const allowed = useMemo(
    () => new Set((offers ?? []).filter(({ text }) => appOf(parsed(text)).forApps).map(({ id }) => id)),
    [offers],
  );
  return (name) => allowed.has(name);
}

const THEMES = [
  { id: 'own', label: 'Same as the inspector' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const;
type ChosenTheme = (typeof THEMES)[number]['id'];

/** Widths in pixels; undefined: as wide as there is room. */
const WIDTHS = [
  { id: 'full', label: 'Full', pixels: undefined },
  { id: 'tablet', label: 'Tablet (768)', pixels: 768 },
  { id: 'phone', label: 'Phone (375)', pixels: 375 },
] as const;
type ChosenWidth = (typeof WIDTHS)[number]['id'];

/** The current theme of the inspector. */
function themeNow(): 'light' | 'dark' {
  const { colorScheme } = getComputedStyle(document.documentElement);
  const isDark =
    colorScheme === 'dark' || (colorScheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  return isDark ? 'dark' : 'light';
}

/** The theme chosen for the page. By default it follows the theme of the inspector. */
function useShownTheme(chosen: ChosenTheme): 'light' | 'dark' {
  const [own, setOwn] = useState(themeNow);
  const setting = useTheme();
  useEffect(() => {
    const follow = (): void => setOwn(themeNow());
    follow();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [setting]);
  return chosen === 'own' ? own : chosen;
}

/** The host context of pages, without theme and size. */
function contextNow(): HostContext {
  return {
    displayMode: 'inline',
    availableDisplayModes: ['inline'],
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: 'tenon-inspector',
    platform: 'web',
  };
}

const WORDS: Readonly<Record<AppNote['what'], string>> = {
  message: 'message to the conversation',
  context: 'context for the model',
  link: 'asks to open',
  log: 'logs',
  call: 'called',
  refused: 'was refused',
};

function Notes({ notes }: { readonly notes: readonly AppNote[] }): ReactNode {
  if (notes.length === 0) return undefined;
  return (
    <ul className={css.notes} aria-label="Actions of the app">
      {notes.map(({ what, text }, at) => {
        const link = what === 'link' ? safeLink(text) : undefined;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- notes are only added
          <li key={at}>
            <Badge tone={what === 'refused' ? 'warn' : 'plain'}>{WORDS[what]}</Badge>{' '}
            {link === undefined ? <Inert text={text} /> : <OutLink href={link.href} />}
          </li>
        );
      })}
    </ul>
  );
}

export interface AppViewProps {
  readonly offer: Offer;
  readonly server: ServerView;
  readonly uri: string;
  /** The line of the request of the call shown, and its result, as text. */
  readonly request: number | undefined;
  readonly result: string;
}

/** The app of a tool, with the result shown: in a frame of another origin, whose messages are handled here. */
export function AppView({ offer, server, uri, request, result }: AppViewProps): ReactNode {
  const [edition, setEdition] = useState(0);
  const state = usePage(server.id, uri, request, edition);
  const [notes, setNotes] = useState<readonly AppNote[]>([]);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isLate, setLate] = useState(false);
  const element = useRef<HTMLIFrameElement>(null);
  const host = useRef<AppHost>(undefined);
  const [chosenTheme, setChosenTheme] = useState<ChosenTheme>('own');
  const [chosenWidth, setChosenWidth] = useState<ChosenWidth>('full');
  const theme = useShownTheme(chosenTheme);
  const width = WIDTHS.find(({ id }) => id === chosenWidth)!.pixels;
  const mayCall = useToolsForApps(server.id);
  const current = useRef(mayCall);
  current.current = mayCall;
  const shown = state !== undefined && 'shown' in state ? state.shown : undefined;

  useEffect(() => {
    if (shown === undefined) return undefined;
    const post = (message: Message): void => element.current?.contentWindow?.postMessage(message, shown.origin);
    const one = createAppHost({
      tool: parsed(offer.text),
      input: shown.input,
      result: parsed(result),
      context: contextNow(),
      mayCall: (name) => current.current(name),
      ask: (method, params) => ask(server.id, method, params),
      post,
      onNote: (note) => setNotes((before) => [...before, note].slice(-MAX_NOTES)),
      onHeight: setHeight,
      onReady: () => clearTimeout(late),
    });
    const late = setTimeout(() => setLate(true), FRAME_MS);
    host.current = one;
    const hear = ({ source, origin, data }: MessageEvent): void => {
      if (source !== element.current?.contentWindow || origin !== shown.origin) return;
      const message = data as Message | null;
      if (message?.jsonrpc !== '2.0') return;
      if (message['method'] === 'ui/notifications/sandbox-proxy-ready')
        post({
          jsonrpc: '2.0',
          method: 'ui/notifications/sandbox-resource-ready',
          params: { html: shown.html },
        });
      else one.take(message);
    };
    window.addEventListener('message', hear);
    return () => {
      clearTimeout(late);
      window.removeEventListener('message', hear);
    };
  }, [shown, offer.text, result, server.id]);

  useEffect(() => {
    if (shown === undefined) return;
    const containerDimensions = { width: width ?? element.current?.clientWidth, maxHeight: MAX_HEIGHT };
    host.current?.tell({ theme, containerDimensions });
  }, [shown, offer.text, result, server.id, theme, width]);

  const restart = async (): Promise<void> => {
    await host.current?.end();
    setNotes([]);
    setLate(false);
    setEdition((before) => before + 1);
  };
  return (
    <div className={css.app}>
      <div className={css.bar}>
        <Inert text={uri} />
        <div className={css.controls}>
          <Choice label="Theme" value={chosenTheme} options={THEMES} onChange={setChosenTheme} />
          <Choice label="Width" value={chosenWidth} options={WIDTHS} onChange={setChosenWidth} />
          <Button onPress={() => void restart()}>Restart</Button>
        </div>
      </div>
      {state === undefined && <p aria-busy="true">Loading …</p>}
      {state !== undefined && 'problem' in state && <p role="alert">{state.problem}</p>}
      {isLate && (
        <p role="alert">
          The app has sent nothing. It may not implement the protocol of apps, or its policy may name invalid origins.
        </p>
      )}
      {shown !== undefined && (
        <iframe
          key={edition}
          ref={element}
          className={css.frame}
          title={`App ${offer.id}`}
          src={shown.frame}
          style={{ height, width, colorScheme: theme }}
          // The frame is of another origin, and shows the page in one of no origin.
          sandbox="allow-scripts allow-same-origin"
        />
      )}
      <Notes notes={notes} />
    </div>
  );
}
