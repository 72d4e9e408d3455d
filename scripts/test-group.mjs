// Runs several test files in one process, each as a suite named by the path of its file.

import { AsyncResource } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { after, before, describe } from 'node:test';
import { beginGroup, enterTestFile } from './lib/test-file.ts';

/**
 * @param {readonly { readonly path: string; readonly url: string }[]} files
 * @param {string} current the path of a file that contains the path of the current test file, in case the process crashes
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
      // Load them one after the other: a file that waited for a module that another file is loading would register its tests in the other
      // suite. Bound, because the test runner attributes code that runs after a promise to the creator of the promise.
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
