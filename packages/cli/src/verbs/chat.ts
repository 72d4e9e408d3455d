import process from 'node:process';
import type { CommandLine } from '../command-line/command-line.ts';
import type { VerbContext } from '../session/session.ts';

/** `tenon chat [--resume [id]] [text]… [server]` */
export async function chat(line: CommandLine, { screen, stdout: output, interrupt }: VerbContext): Promise<void> {
  const { stdin, stdout } = process;
  const isScripted =
    stdin.isTTY !== true || stdout.isTTY !== true || line.given.has('json') || line.given.has('answers');
  if (isScripted) {
    const { chatScripted } = await import('../chat/scripted.ts');
    return chatScripted(line, { stdin, stdout: output, screen, interrupt });
  }
  const { chatTerminal } = await import('../chat/terminal.ts');
  await chatTerminal(line, { stdin, stdout, screen, interrupt });
}
