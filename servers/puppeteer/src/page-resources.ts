import { type Context, type Provider, type Resource, resource } from 'tenon';
import type { ClientPage } from './client-page.ts';

const LOG_URI = 'console://logs';
const SCREENSHOT_TEMPLATE = 'screenshot://{name}';
/** How often the log is announced to have changed, in milliseconds. */
const LOG_MS = 100;

/** The URI of a screenshot. */
export function screenshotUri(name: string): string {
  return `screenshot://${encodeURIComponent(name)}`;
}

/** The resources of the clients, and how their changes are announced. */
export interface PageResources {
  readonly provider: Provider;
  readonly onLog: () => void;
  readonly onScreenshot: (name: string) => void;
}

/** Makes the resources. `known`: the page of a client, if it has one. */
export function createPageResources(known: (ctx: Context) => ClientPage): PageResources {
  const resources = new Map<string, Resource>([
    [
      LOG_URI,
      resource(
        {
          name: 'Browser console logs',
          description: 'What the page wrote to its console, and what it was refused',
          mimeType: 'text/plain',
          cache: { scope: 'private' },
        },
        (_, ctx) => known(ctx).log.text(),
      ),
    ],
    [
      SCREENSHOT_TEMPLATE,
      resource(
        {
          name: 'Screenshot',
          description: 'A screenshot that was taken with puppeteer_screenshot',
          mimeType: 'image/png',
          cache: { scope: 'private' },
          list: (ctx) =>
            [...known(ctx).screenshots.all()].map(([name, { length }]) => ({
              uri: screenshotUri(name),
              name: `Screenshot: ${name}`,
              mimeType: 'image/png',
              size: length,
            })),
          complete: {
            name: (typed, ctx) =>
              [...known(ctx).screenshots.all()].map(([name]) => name).filter((name) => name.startsWith(typed)),
          },
        },
        ({ name }, ctx) => known(ctx).screenshots.get(name as string),
      ),
    ],
  ]);
  let announce: Parameters<NonNullable<Provider['start']>>[0] = () => {};
  let timer: NodeJS.Timeout | undefined;
  return {
    provider: {
      resources: { list: () => resources, get: (uri) => resources.get(uri) },
      start: (given) => (announce = given),
    },
    onLog() {
      // A page can write thousands of lines in a second.
      timer ??= setTimeout(() => {
        timer = undefined;
        announce({ uri: LOG_URI });
      }, LOG_MS).unref();
    },
    onScreenshot(name) {
      announce({ list: 'resources' });
      announce({ uri: screenshotUri(name) });
    },
  };
}
