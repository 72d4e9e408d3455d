import { text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { evaluateScript } from './evaluate.ts';
import { shown, type ToolSetting, withPage } from './tool-setting.ts';

const MAX_SCRIPT = 1_000_000;
const JSON_VALUE = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown()), z.looseObject({})]);
/** How much of the console is returned, in characters. */
const MAX_CONSOLE = 100_000;

/** The last lines that fit. */
function lastLines(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const first = lines.findLastIndex((line) => (characters += line.length + 1) > MAX_CONSOLE);
  return first === -1 ? lines : [`(${first + 1} more lines)`, ...lines.slice(first + 1)];
}

/** The tool that runs scripts. */
export function evaluateTool(setting: ToolSetting) {
  return {
    puppeteer_evaluate: tool(
      {
        title: 'Evaluate',
        description:
          'Execute JavaScript in the browser console. The result is the value of the last expression, or of a return statement, as JSON; promises are awaited.',
        input: z.object({ script: z.string().max(MAX_SCRIPT).describe('JavaScript code to execute') }),
        output: z.object({
          result: JSON_VALUE.optional().describe('The value, unless it was too long'),
          console: z.array(z.string()).describe('What the page wrote to its console meanwhile'),
          truncated: z.boolean().describe('Whether the value was too long'),
        }),
        readOnly: false,
        destructive: true,
        openWorld: true,
      },
      async ({ script }, ctx) => {
        const { log } = setting.pageOf(ctx);
        const { json, isCut, lines } = await withPage(setting, ctx, {
          act: async ({ devtools }) => {
            const before = log.count;
            try {
              const limits = { signal: ctx.signal, timeoutMs: setting.timeoutMs };
              const evaluated = await evaluateScript(devtools, script, limits);
              return { ...evaluated, lines: lastLines(log.since(before).filter(isFromConsole)) };
            } catch (error) {
              if (ctx.signal.aborted) throw error;
              throw new ToolError(`Script execution failed: ${(error as Error).message}`, { cause: error });
            }
          },
        });
        const note = isCut ? '\n(The result is longer: return less of it.)' : '';
        const result = `Execution result:\n${json}${note}\n\nConsole output:\n${lines.join('\n')}`;
        return shown(setting, ctx, [text(result)], {
          result: isCut || json === undefined ? undefined : parse(json),
          console: [...lines],
          truncated: isCut,
        });
      },
    ),
  };
}

function isFromConsole(line: string): boolean {
  return !/^\[(?:note|network|pageerror)\]/.test(line);
}

/** The value of the page's JSON; its text if the page has written something else. */
function parse(json: string): z.infer<typeof JSON_VALUE> {
  try {
    return JSON.parse(json) as z.infer<typeof JSON_VALUE>;
  } catch {
    return json;
  }
}
