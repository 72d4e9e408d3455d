// Formats the whole repository, or the given paths; `--check` only lists the files that would change.

import { runTool } from './lib/tools.ts';

process.exitCode = runTool('oxfmt', process.argv.slice(2)).status;
