import { contents, resource } from 'tenon';
import { decodeUtf8 } from '@tenon/values/utf8';
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import type { Access } from './access.ts';
import { path, ref, REPOSITORY } from './inputs.ts';

const FILE = z.object({ ...REPOSITORY, branch: ref, path: path.min(1) });

export const FILE_TEMPLATE = 'github://{owner}/{repo}/{branch}/{+path}';

/** The URI of a file. */
export function fileUri({ owner, repo, branch, path }: z.infer<typeof FILE>): string {
  const parts = path.split('/').map((part) => encodeURIComponent(part));
  return `github://${owner}/${repo}/${encodeURIComponent(branch)}/${parts.join('/')}`;
}

/** Names that start with the typed text. Empty if GitHub refuses, because a completion cannot report an error. */
async function namesFrom(typed: string, read: () => Promise<readonly { readonly name: string }[]>): Promise<string[]> {
  const found = await read().catch(() => []);
  return found.map(({ name }) => name).filter((name) => name.startsWith(typed));
}

/** The files of all repositories, as a resource template. */
export function fileResource(access: Access) {
  return resource(
    {
      name: 'File',
      description: 'A file on GitHub, on a branch, tag or commit. HEAD is the default branch',
      complete: {
        repo: (typed, ctx) =>
          namesFrom(typed, async () => {
            const { owner: username = '' } = ctx.resolved;
            if (!REPOSITORY.owner.safeParse(username).success) return [];
            return (await access.of(ctx).ask('GET /users/{username}/repos', { username, per_page: 100 })).data;
          }),
        branch: (typed, ctx) =>
          namesFrom(typed, async () => {
            const at = z.object(REPOSITORY).safeParse(ctx.resolved);
            if (!at.success) return [];
            const given = { ...at.data, per_page: 100 };
            return (await access.of(ctx).ask('GET /repos/{owner}/{repo}/branches', given)).data;
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
