// Lints the whole repository, or the paths given. `--fix` repairs what can be repaired safely.

import { runTool } from './lib/tools.ts';

process.exitCode = runTool('oxlint', ['--deny-warnings', ...process.argv.slice(2)]).status;
