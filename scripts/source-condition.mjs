// Preloaded by the test run: files under packages/sdk/src and packages/sdk/test resolve the SDK's `#…` imports to TypeScript sources,
// everything else to the published files. Node's own `--conditions=tenon-source` would also apply in dist and mix the two.

import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, nextResolve) {
    const fromSources = specifier.startsWith('#') && /\/packages\/sdk\/(src|test)\//.test(context.parentURL ?? '');
    return nextResolve(
      specifier,
      fromSources ? { ...context, conditions: [...context.conditions, 'tenon-source'] } : context,
    );
  },
});
