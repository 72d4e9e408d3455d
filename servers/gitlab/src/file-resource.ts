import { contents, resource } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { pick } from '../../shared/api/pick.ts';
import { completionsOf, pathInUri } from '../../shared/repositories/file-contents.ts';
import { path, ref } from '../../shared/repositories/inputs.ts';
import type { Access } from './access.ts';
import { inProject, SERVICE } from './gitlab-client.ts';
import { project_id } from './inputs.ts';

const FILE = z.object({ project: project_id, ref, path: path.min(1) });
const PROJECTS = z.array(z.object({ path_with_namespace: z.string() }));
const BRANCHES = z.array(z.object({ name: z.string() }));

export const FILE_TEMPLATE = 'gitlab://{project}/{ref}/{+path}';

/** The URI of a file. */
export function fileUri({ project, ref, path }: z.infer<typeof FILE>): string {
  return `gitlab://${encodeURIComponent(project)}/${encodeURIComponent(ref)}/${pathInUri(path)}`;
}

/** The files of all projects, as a resource template. */
export function fileResource(access: Access) {
  return resource(
    {
      name: 'File',
      description: 'A file on GitLab, on a branch, tag or commit. HEAD is the default branch',
      complete: {
        project: (typed, ctx) =>
          completionsOf(typed, async () => {
            const chosen = typed === '' ? { membership: true } : { search: typed, search_namespaces: true };
            const query = { ...chosen, simple: true, per_page: 100 };
            const found = pick(SERVICE, PROJECTS, await access.of(ctx).ask('projects', { query }));
            return found.map(({ path_with_namespace }) => path_with_namespace);
          }),
        ref: (typed, ctx) =>
          completionsOf(typed, async () => {
            const project = project_id.safeParse(ctx.resolved['project']);
            if (!project.success) return [];
            const branches = inProject(project.data, 'repository', 'branches');
            const query = { search: typed === '' ? undefined : `^${typed}`, per_page: 100 };
            const found = pick(SERVICE, BRANCHES, await access.of(ctx).ask(branches, { query }));
            return found.map(({ name }) => name);
          }),
      },
    },
    async (variables, ctx) => {
      const place = FILE.safeParse(variables);
      if (!place.success) return undefined;
      const { project, ref, path } = place.data;
      try {
        const bytes = await access.of(ctx).bytes(inProject(project, 'repository', 'files', path, 'raw'), { ref });
        return contents(fileUri(place.data), decodeUtf8(bytes) ?? bytes);
      } catch (error) {
        if (apiErrorIn(error)?.status === 404) return undefined;
        throw error;
      }
    },
  );
}
