import { verifyAudit } from '@tenon/host';
import type { CommandLine } from '../command-line.ts';
import { Failure, usage } from '../failure.ts';
import { oneLine } from '../printable.ts';
import type { World } from '../session.ts';

const unreadable = (file: string, error: unknown): Failure =>
  usage(`${oneLine(file, 300)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);

/** `tenon audit verify <file> [--head hash]` */
export const audit = async (line: CommandLine, { screen }: World): Promise<void> => {
  const [, deed, file, more] = line.words;
  if (deed !== 'verify' || file === undefined || more !== undefined || line.target !== undefined) {
    throw usage('Verify which log?', 'tenon audit verify <file> --head <hash>');
  }
  const head = line.value('head');
  const report = await verifyAudit(file, head === undefined ? {} : { head }).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (!report.ok) {
    throw new Failure('tool', 'audit_broken', `${oneLine(file, 300)} is not as it was written: ${report.problem}`, {
      evidence: `line ${report.line}`,
      fix: 'Look for who can write to it. Everything before that line is as it was.',
    });
  }
  screen.result({
    json: () => JSON.stringify(report),
    text: () => `${report.entries} entries, as they were written. The last: ${report.head}`,
  });
};
