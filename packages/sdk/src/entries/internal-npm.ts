/**
 * Packages that npm installs when they are needed, for the commands of this repository only. This entry point makes no promises: everything in
 * it may change or disappear in any version, patches included. It needs Node.
 */

export { npmPackage } from '../open/node/npm-package.ts';
