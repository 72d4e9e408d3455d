// Runs several test files in one process, each as a suite that carries the path of its file.

import { AsyncResource } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import { beginGroup, enterTestFile } from './lib/test-file.ts';

/**
 * @param {readonly { readonly path: string; readonly url: string }[]} files
 * @param {string} current a file that names the test file that is loaded or run: a process that crashes says no more
 */
export function runTogether(files, current) {
  /** @param {string} path */
  const enter = (path) => {
    enterTestFile(path);
    writeFileSync(current, path);
  };
  const end = beginGroup();
  /** @type {Promise<unknown>} */
  let loaded = Promise.resolve();
  for (const { path, url } of files)
    describe(path, () => {
      before(() => enter(path));
      // One after the other: a file that waits for a module which another file began to load would register its tests in that other suite.
      // Bound, because the test runner takes what runs after a promise for a part of what made that promise.
      const own = loaded.then(
        AsyncResource.bind(() => {
          enter(path);
          return import(url);
        }),
      );
      loaded = own.catch(() => {});
      return own;
    });
  before(() => loaded);
  after(end);
}
