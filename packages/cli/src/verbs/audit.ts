import { verifyAudit } from '@tenon/host';
import type { CommandLine } from '../command-line/command-line.ts';
import { Failure, usage } from '../failure/failure.ts';
import { oneLine } from '../terminal/printable.ts';
import type { VerbContext } from '../session/session.ts';
import { counted } from '@tenon/values/counted';

function unreadable(file: string, error: unknown): Failure {
  return usage(`${oneLine(file, 300)} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

/** `tenon audit verify <file> [--head hash]` */
export async function audit(line: CommandLine, { screen }: VerbContext): Promise<void> {
  const [, action, file, more] = line.words;
  if (action !== 'verify' || file === undefined || more !== undefined || line.target !== undefined) {
    throw usage('Verify which log?', 'tenon audit verify <file> --head <hash>');
  }
  const head = line.value('head');
  const report = await verifyAudit(file, { head }).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (!report.ok && report.code === 'cut-off') {
    const name = oneLine(file, 300);
    throw new Failure('tool', 'audit_cut_off', `${name} ends within a line: ${report.problem}`, {
      evidence: `line ${report.line}`,
      fix: `Nothing before that line was changed. The next host that opens the log moves the line to ${name}.torn and continues. Verify it again then.`,
    });
  }
  if (!report.ok) {
    throw new Failure(
      'tool',
      'audit_broken',
      `${oneLine(file, 300)} was changed after it was written: ${report.problem}`,
      {
        evidence: `line ${report.line}`,
        fix: 'Find out who can write to it. Everything before that line is unchanged.',
      },
    );
  }
  screen.result({
    json: () => JSON.stringify(report),
    text: () => `${counted(report.entries, 'entry', 'entries')}, unchanged. The last hash: ${report.head}`,
  });
}
