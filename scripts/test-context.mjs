// Preloaded by the test run. Node's test runner follows everything asynchronous, every promise too, to know which test it belongs to: a third of
// the processor time of tests that await much. The asynchronous context says the same and costs nothing: in which test a hook or another test is
// registered, and which test an error that nobody caught belongs to (scripts/test-context.test.ts).

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @type {typeof import('node:async_hooks')} */
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

  /**
   * @override
   * @template This, Result
   * @param {(this: This, ...args: any[]) => Result} act
   * @param {This} [self]
   * @param {any[]} args
   * @returns {Result}
   */
  runInAsyncScope(act, self, ...args) {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(act, self, args)));
  }
}

// The test runner takes these when it is loaded.
Object.assign(hooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  /** @param {import('node:async_hooks').HookCallbacks} callbacks */
  createHook({ init }) {
    note = init;
    // It is never enabled.
    const hook = createHook({});
    return { enable: () => hook, disable: () => hook };
  },
});
void require('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
