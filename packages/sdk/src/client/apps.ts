import { APP_TYPE, APPS_EXTENSION, type AppPageMeta, type AppVisibility } from '../protocol/apps.ts';
import type { ResourceEntry, ToolEntry } from '../protocol/entities.ts';
import { PeerError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { ReadResourceResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';

/**
 * The extension as a client that shows apps declares it.
 *
 * @example
 * ```ts
 * import { SHOWS_APPS } from 'tenon/apps';
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect('https://mcp.example.com/mcp', { extensions: { ...SHOWS_APPS } });
 * ```
 */
export const SHOWS_APPS: JsonObject = { [APPS_EXTENSION]: { mimeTypes: [APP_TYPE] } };

/** The metadata of a tool about apps. */
export interface ToolApp {
  /** The URI of the page that shows its results; undefined if there is none. */
  readonly resourceUri: string | undefined;
  /** Whether the model may call it. */
  readonly forModel: boolean;
  /** Whether pages of the same server may call it. */
  readonly forApps: boolean;
}

/**
 * Reads the metadata of a tool about apps: which page shows its results, and who may call it. A host that shows apps must hide tools that
 * are not `forModel` from its model, and refuse calls from pages to tools that are not `forApps`.
 *
 * @example
 * ```ts
 * import { appOf } from 'tenon/apps';
 * import type { Client } from 'tenon/client';
 *
 * async function pages(client: Client): Promise<string[]> {
 *   const tools = await client.tools().all();
 *   return tools.map((tool) => appOf(tool).resourceUri).filter((uri) => uri !== undefined);
 * }
 * ```
 */
export function appOf({ _meta }: Pick<ToolEntry, '_meta'>): ToolApp {
  const ui = isObject(_meta?.['ui']) ? _meta['ui'] : {};
  // Older servers write it as a single key.
  const uri: unknown = ui['resourceUri'] ?? _meta?.['ui/resourceUri'];
  const { visibility } = ui;
  const may = (who: AppVisibility) => !Array.isArray(visibility) || visibility.includes(who);
  return {
    resourceUri: typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined,
    forModel: may('model'),
    forApps: may('app'),
  };
}

/** The page of an app, and how to show it. It comes from the server: show it in a sandbox with another origin. */
export interface AppPage extends AppPageMeta {
  /** The page. */
  readonly html: string;
}

/**
 * Reads the page of an app from the result of reading its resource. `entry`, its entry in the list of resources, supplies metadata that is
 * missing in the result. Throws a `PeerError` if the result is not the page of an app.
 *
 * @example
 * ```ts
 * import { appOf, appPage } from 'tenon/apps';
 * import type { Client, ToolEntry } from 'tenon/client';
 *
 * async function pageOf(client: Client, tool: ToolEntry) {
 *   const { resourceUri } = appOf(tool);
 *   return resourceUri === undefined ? undefined : appPage(await client.read(resourceUri));
 * }
 * ```
 */
export function appPage({ contents }: ReadResourceResult, entry?: Pick<ResourceEntry, '_meta'>): AppPage {
  const [item] = contents;
  if (item === undefined || item.mimeType !== APP_TYPE)
    throw new PeerError(
      'invalid-answer',
      `The page of an app has the media type ${APP_TYPE}, not ${shown(item?.mimeType)}`,
    );
  const html =
    'text' in item && typeof item.text === 'string' ? item.text : textOf(String((item as { blob?: unknown }).blob));
  const ui = [item._meta?.['ui'], entry?._meta?.['ui']].find(isObject) ?? {};
  const { csp, permissions, domain, prefersBorder } = ui as AppPageMeta;
  return {
    html,
    csp: isObject(csp) ? csp : undefined,
    permissions: isObject(permissions) ? permissions : undefined,
    domain: typeof domain === 'string' ? domain : undefined,
    prefersBorder: typeof prefersBorder === 'boolean' ? prefersBorder : undefined,
  } as AppPage;
}

function textOf(blob: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(blob), (character) => character.charCodeAt(0)),
    );
  } catch (cause) {
    throw new PeerError('invalid-answer', 'The page of an app is not base64 of UTF-8', cause);
  }
}
