import { contents, resource } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import { z } from 'zod';
import { completionsOf, pathInUri } from '../../shared/repositories/file-contents.ts';
import { path, ref } from '../../shared/repositories/inputs.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import type { Access } from './access.ts';
import { REPOSITORY } from './inputs.ts';

const FILE = z.object({ ...REPOSITORY, branch: ref, path: path.min(1) });

export const FILE_TEMPLATE = 'github://{owner}/{repo}/{branch}/{+path}';

/** The URI of a file. */
export function fileUri({ owner, repo, branch, path }: z.infer<typeof FILE>): string {
  return `github://${owner}/${repo}/${encodeURIComponent(branch)}/${pathInUri(path)}`;
}

function namesIn(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name);
}

/** The files of all repositories, as a resource template. */
export function fileResource(access: Access) {
  return resource(
    {
      name: 'File',
      description: 'A file on GitHub, on a branch, tag or commit. HEAD is the default branch',
      complete: {
        repo: (typed, ctx) =>
          completionsOf(typed, async () => {
            const { owner: username = '' } = ctx.resolved;
            if (!REPOSITORY.owner.safeParse(username).success) return [];
            return namesIn((await access.of(ctx).ask('GET /users/{username}/repos', { username, per_page: 100 })).data);
          }),
        branch: (typed, ctx) =>
          completionsOf(typed, async () => {
            const at = z.object(REPOSITORY).safeParse(ctx.resolved);
            if (!at.success) return [];
            const given = { ...at.data, per_page: 100 };
            return namesIn((await access.of(ctx).ask('GET /repos/{owner}/{repo}/branches', given)).data);
          }),
      },
    },
    async (variables, ctx) => {
      const place = FILE.safeParse(variables);
      if (!place.success) return undefined;
      const { owner, repo, branch, path } = place.data;
      try {
        const at = { owner, repo, path, ref: branch };
        const bytes = await access.of(ctx).raw('GET /repos/{owner}/{repo}/contents/{path}', at);
        return contents(fileUri(place.data), decodeUtf8(bytes) ?? bytes);
      } catch (error) {
        if (apiErrorIn(error)?.status === 404) return undefined;
        throw error;
      }
    },
  );
}
