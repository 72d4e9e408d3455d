// Preloaded by the test run. To know which test asynchronous work belongs to, Node's test runner tracks all of it, including every promise,
// which takes a third of the CPU time of tests that await much. An AsyncLocalStorage costs nothing and is enough to know in which test a
// hook or another test is registered, and which test an uncaught error belongs to (scripts/test-context.test.ts).

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @type {typeof import('node:async_hooks')} */
const hooks = require('node:async_hooks');
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;

/** The id of the running test. @type {import('node:async_hooks').AsyncLocalStorage<number>} */
const running = new AsyncLocalStorage();
/** The test runner's hook that registers a test by its id. @type {import('node:async_hooks').HookCallbacks['init']} */
let note;

/** The async resource of a test. */
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

// The test runner takes these functions when it is loaded.
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
