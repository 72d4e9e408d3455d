/** The identifier of the extension for apps. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** The media type of the pages of apps. */
export const APP_TYPE = 'text/html;profile=mcp-app';

/** Who may call a tool: the model, and pages of the same server. */
export type AppVisibility = 'model' | 'app';

/** The origins that the page of an app uses, such as `https://api.example.com`. A host allows no others. */
export interface AppCsp {
  /** Where it may connect: `fetch`, web sockets. Default: nowhere. */
  readonly connectDomains?: readonly string[];
  /** Where scripts, styles, images, fonts and media may come from. Default: only the page itself. */
  readonly resourceDomains?: readonly string[];
  /** The origins that it may show in frames. Default: none. */
  readonly frameDomains?: readonly string[];
  /** The allowed values of its `base`. Default: only the page itself. */
  readonly baseUriDomains?: readonly string[];
}

/** The permissions that the page of an app requests. A host may refuse them. */
export interface AppPermissions {
  /** The camera. */
  readonly camera?: Readonly<Record<string, never>>;
  /** The microphone. */
  readonly microphone?: Readonly<Record<string, never>>;
  /** The location of the user. */
  readonly geolocation?: Readonly<Record<string, never>>;
  /** Writing to the clipboard. */
  readonly clipboardWrite?: Readonly<Record<string, never>>;
}

/** `_meta.ui` of the resource of an app: how its page is to be shown. */
export interface AppPageMeta {
  /** The origins that the page uses. Default: none. */
  readonly csp?: AppCsp;
  /** The permissions that it requests. Default: none. */
  readonly permissions?: AppPermissions;
  /** The origin that the page requests, in the form that the host documents. Default: the host chooses. */
  readonly domain?: string;
  /** Whether the page looks best with a border, or without one. Default: the host chooses. */
  readonly prefersBorder?: boolean;
}

/** `_meta.ui` of a tool that has an app. */
export interface AppToolMeta {
  /** The URI of the page, which begins with `ui://`. */
  readonly resourceUri?: string;
  /** Who may call the tool. Default: both. */
  readonly visibility?: readonly AppVisibility[];
}
