// Runs the table in a process of its own, and prints what it came to.
//   node --unhandled-rejections=strict run.ts [every how manyth case, default 1]
import { runTable } from '../../../sdk/test/untrusted/report.ts';
import { proxying } from './proxying.ts';

const outcome = await runTable(proxying, Number(process.argv[2] ?? 1));
process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
