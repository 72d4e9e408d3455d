// Runs several test files in one process, each as a suite that carries the path of its file.

import { AsyncResource } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { before, describe } from 'node:test';

/**
 * @param {readonly { readonly path: string; readonly url: string }[]} files
 * @param {string} current a file that names the test file that is loaded or run: a process that crashes says no more
 */
export function runTogether(files, current) {
  /** @type {Promise<unknown>} */
  let loaded = Promise.resolve();
  for (const { path, url } of files)
    describe(path, () => {
      before(() => writeFileSync(current, path));
      // One after the other: a file that waits for a module which another file began to load would register its tests in that other suite.
      // Bound, because the test runner takes what runs after a promise for a part of what made that promise.
      const own = loaded.then(
        AsyncResource.bind(() => {
          writeFileSync(current, path);
          return import(url);
        }),
      );
      loaded = own.catch(() => {});
      return own;
    });
  before(() => loaded);
}
