/**
 * The configuration formats of other hosts, and their login settings, for the command of this project only: this entry point makes no promises. It does not follow
 * SemVer, and everything in it may change or disappear in any version, patches included.
 */
export { projectOf } from './config/env-file.ts';
export { FORMATS, parseEntry, writeEntry } from './config/formats.ts';
export type { Format, FormatName, ReadEntry } from './config/formats.ts';
export { loginOf } from './config/login.ts';
export type { WrittenLaunch } from './config/server-config.ts';
