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

/** What a tool says of apps. */
export interface ToolApp {
  /** The URI of the page that shows its results; undefined if there is none. */
  readonly resourceUri: string | undefined;
  /** Whether the model may call it. */
  readonly forModel: boolean;
  /** Whether pages of the same server may call it. */
  readonly forApps: boolean;
}

/**
 * What a tool says of apps: which page shows its results, and who may call it. A host that shows apps keeps tools that are not `forModel` from
 * its model, and refuses calls of pages for tools that are not `forApps`.
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
  // Older servers write it as one key.
  const uri: unknown = ui['resourceUri'] ?? _meta?.['ui/resourceUri'];
  const { visibility } = ui;
  const may = (who: AppVisibility) => !Array.isArray(visibility) || visibility.includes(who);
  return {
    resourceUri: typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined,
    forModel: may('model'),
    forApps: may('app'),
  };
}

/** The page of an app, as it is to be shown. All of it is from the server: it belongs into a sandbox of another origin. */
export interface AppPage extends AppPageMeta {
  /** The page. */
  readonly html: string;
}

/**
 * The page in the result of reading the resource of an app. `entry` is the entry of the list of resources, if there is one, for what the
 * result does not say. Throws a `PeerError` if it is no page of an app.
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
