// The arguments that several tools have.
import { z } from 'zod';

/** The id of a project, or its path with all groups: `group/subgroup/project`. `.` and `..` would make it the path of another endpoint. */
function isProject(text: string): boolean {
  return /^\d+$/.test(text) || (/^[\w.-]+(?:\/[\w.-]+)+$/.test(text) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(text));
}

function decoded(text: string): string {
  // Encoded once more, it would be the name of another project.
  return text.replaceAll(/%2f/gi, '/');
}

export const project_id = z
  .string()
  .min(1)
  .max(1_000)
  .overwrite(decoded)
  .refine(isProject, 'must be the id of a project, or its path like group/project')
  .describe('Project ID or path, like group/project');
export const PROJECT = { project_id };

export const title = z.string().min(1).max(255);
export const description = z.string().max(1_048_576);
export const id = z.int().min(1);
