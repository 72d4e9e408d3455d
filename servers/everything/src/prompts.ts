import { prompt, ToolError } from 'tenon';
import { z } from 'zod';
import { completeId, dynamicContents, idIn, type Kind, KINDS } from './dynamic.ts';

const TEAMS: Readonly<Record<string, readonly string[]>> = {
  Engineering: ['Alice', 'Bob', 'Charlie'],
  Sales: ['David', 'Eve', 'Frank'],
  Marketing: ['Grace', 'Henry', 'Iris'],
  Support: ['John', 'Kim', 'Lee'],
};

export function prompts() {
  return {
    'simple-prompt': prompt(
      { title: 'Simple Prompt', description: 'A prompt with no arguments' },
      () => 'This is a simple prompt without arguments.',
    ),
    'args-prompt': prompt(
      {
        title: 'Arguments Prompt',
        description: 'A prompt with two arguments, one required and one optional',
        input: z.object({
          city: z.string().describe('Name of the city'),
          state: z.string().optional().describe('Name of the state'),
        }),
      },
      ({ city, state }) => `What's weather in ${city}${state ? `, ${state}` : ''}?`,
    ),
    'completable-prompt': prompt(
      {
        title: 'Team Management',
        description: 'First argument choice narrows values for second argument.',
        input: z.object({
          department: z.string().describe('Choose the department.'),
          name: z.string().describe('Choose a team member to lead the selected department.'),
        }),
        complete: {
          department: (typed) => Object.keys(TEAMS).filter((team) => team.startsWith(typed)),
          name: (typed, { resolved }) =>
            (Object.hasOwn(TEAMS, resolved['department'] ?? '') ? TEAMS[resolved['department']!]! : []).filter((name) =>
              name.startsWith(typed),
            ),
        },
      },
      ({ department, name }) => `Please promote ${name} to the head of the ${department} team.`,
    ),
    'resource-prompt': prompt(
      {
        title: 'Resource Prompt',
        description: 'A prompt that includes an embedded resource reference',
        input: z.object({
          resourceType: z.string().describe('Type of resource to fetch'),
          resourceId: z.string().describe('ID of the text resource to fetch'),
        }),
        complete: {
          resourceType: (typed) => KINDS.filter((kind) => kind.startsWith(typed)),
          resourceId: completeId,
        },
      },
      ({ resourceType, resourceId }) => {
        const id = idIn(resourceId);
        const kind = KINDS.find((known) => known === resourceType) as Kind | undefined;
        if (kind === undefined || id === undefined)
          throw new ToolError('`resourceType` must be Text or Blob, `resourceId` a positive integer');
        return [
          {
            role: 'user' as const,
            content: {
              type: 'text' as const,
              text: `This prompt includes the ${kind} resource with id: ${id}. Please analyze the following resource:`,
            },
          },
          { role: 'user' as const, content: { type: 'resource' as const, resource: dynamicContents(kind, id) } },
        ];
      },
    ),
  };
}
