// Runs the table in its own process, and prints the report.
// node --unhandled-rejections=strict run.ts [run every n-th case, default 1]
import { runTable } from '../../../sdk/test/untrusted/report.ts';
import { proxying } from './proxying.ts';

const outcome = await runTable(proxying, Number(process.argv[2] ?? 1));
process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
