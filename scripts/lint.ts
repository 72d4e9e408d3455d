// Lints the whole repository, or the given paths. `--fix` applies safe fixes.

import { runTool } from './lib/tools.ts';

process.exitCode = runTool('oxlint', ['--deny-warnings', ...process.argv.slice(2)]).status;
