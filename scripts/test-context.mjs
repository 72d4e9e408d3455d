// Preloaded by the test run. Node's test runner follows everything asynchronous, every promise too, to know which test it belongs to: a third of
// the processor time of tests that await much. The asynchronous context says the same and costs nothing: in which test a hook or another test is
// registered, and which test an error that nobody caught belongs to (scripts/test-context.test.ts).

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @type {import('node:async_hooks')} */
const hooks = require('node:async_hooks');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;

/** The id of the test that runs. @type {import('node:async_hooks').AsyncLocalStorage<number>} */
const running = new AsyncLocalStorage();
/** Notes a test by its id. @type {import('node:async_hooks').HookCallbacks['init']} */
let note;

/** What a test is to the test runner. */
class TestResource extends AsyncResource {
  /** @param {string} type @param {import('node:async_hooks').AsyncResourceOptions} [options] */
  constructor(type, options) {
    super(type, options);
    note?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  /** @type {import('node:async_hooks').AsyncResource['runInAsyncScope']} */
  runInAsyncScope(act, self, ...args) {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(act, self, args)));
  }
}

// The test runner takes these when it is loaded.
Object.assign(hooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  /** @type {typeof createHook} */
  createHook({ init }) {
    note = init;
    // It is never enabled.
    const hook = createHook({});
    return { enable: () => hook, disable: () => hook };
  },
});
require('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
