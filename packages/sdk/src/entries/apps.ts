/** Apps: pages that hosts show beside the results of tools, for authors and for hosts. */
export { app, apps, shownBy, showsApps } from '../server/apps.ts';
export type { App, AppOptions, ShownByOptions } from '../server/apps.ts';
export { appOf, appPage, SHOWS_APPS } from '../client/apps.ts';
export type { AppPage, ToolApp } from '../client/apps.ts';
export { APP_TYPE, APPS_EXTENSION } from '../protocol/apps.ts';
export type { AppCsp, AppPageMeta, AppPermissions, AppToolMeta, AppVisibility } from '../protocol/apps.ts';
