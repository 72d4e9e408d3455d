// Formats the whole repository, or the paths given; `--check` only says which files would change.

import { runTool } from './lib/tools.ts';

process.exitCode = runTool('oxfmt', process.argv.slice(2)).status;
