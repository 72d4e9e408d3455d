// The lint rules of this repository, as a plugin of oxlint. Those that need types or several files are steps of `npm run check`.

import { noConditionalSpread } from './no-conditional-spread.ts';
import { topLevelFunction } from './top-level-function.ts';

// oxlint takes a plugin from the default export.
export default {
  meta: { name: 'tenon' },
  rules: {
    'no-conditional-spread': noConditionalSpread,
    'top-level-function': topLevelFunction,
  },
};
