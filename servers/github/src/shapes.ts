// The fields of results: what a reader needs, without the addresses of the API. All optional ones may be missing, because servers of GitHub
// Enterprise are older and younger than this list.
import { z } from 'zod';

const text = z.string().nullish();
const count = z.number().nullish();
const flag = z.boolean().nullish();

const user = z.object({ login: z.string(), id: z.number(), html_url: text, type: text }).nullish();
const label = z.union([z.string(), z.object({ name: text, color: text, description: text })]);
const milestone = z.object({ number: z.number(), title: z.string(), state: text, due_on: text }).nullish();
const person = z.object({ name: text, email: text, date: text }).nullish();

export const REPOSITORY_SHAPE = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  private: flag,
  owner: user,
  html_url: z.string(),
  description: text,
  fork: flag,
  archived: flag,
  language: text,
  stargazers_count: count,
  forks_count: count,
  open_issues_count: count,
  created_at: text,
  updated_at: text,
  pushed_at: text,
  clone_url: text,
  ssh_url: text,
  default_branch: text,
});

export const FORK_SHAPE = REPOSITORY_SHAPE.extend({
  parent: z.object({ full_name: z.string(), html_url: text }).nullish(),
  source: z.object({ full_name: z.string(), html_url: text }).nullish(),
});

export const ISSUE_SHAPE = z.object({
  id: z.number(),
  number: z.number(),
  title: z.string(),
  state: z.string(),
  state_reason: text,
  html_url: z.string(),
  user,
  labels: z.array(label).nullish(),
  assignees: z.array(user).nullish(),
  milestone,
  locked: flag,
  comments: count,
  created_at: text,
  updated_at: text,
  closed_at: text,
  author_association: text,
  /** Present if the issue is a pull request. */
  pull_request: z.object({ html_url: text, merged_at: text }).nullish(),
  body: text,
});

export const COMMENT_SHAPE = z.object({
  id: z.number(),
  html_url: z.string(),
  user,
  author_association: text,
  created_at: text,
  updated_at: text,
  body: text,
});

const side = z
  .object({ label: text, ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() })
  .nullish();

export const PULL_SHAPE = z.object({
  id: z.number(),
  number: z.number(),
  title: z.string(),
  state: z.string(),
  draft: flag,
  html_url: z.string(),
  diff_url: text,
  user,
  labels: z.array(label).nullish(),
  assignees: z.array(user).nullish(),
  requested_reviewers: z.array(user).nullish(),
  milestone,
  head: side,
  base: side,
  created_at: text,
  updated_at: text,
  closed_at: text,
  merged_at: text,
  merge_commit_sha: text,
  author_association: text,
  body: text,
});

/** Fields that only a single pull request has. */
export const WHOLE_PULL_SHAPE = PULL_SHAPE.extend({
  merged: flag,
  mergeable: flag,
  mergeable_state: text,
  merged_by: user,
  comments: count,
  review_comments: count,
  commits: count,
  additions: count,
  deletions: count,
  changed_files: count,
});

export const CHANGED_FILE_SHAPE = z.object({
  sha: text,
  filename: z.string(),
  previous_filename: text,
  status: z.string(),
  additions: count,
  deletions: count,
  changes: count,
  blob_url: text,
  patch: text,
});

export const STATUS_SHAPE = z.object({
  state: z.string(),
  sha: z.string(),
  total_count: z.number(),
  statuses: z.array(
    z.object({
      state: z.string(),
      context: text,
      description: text,
      target_url: text,
      created_at: text,
      updated_at: text,
    }),
  ),
});

export const REVIEW_SHAPE = z.object({
  id: z.number(),
  state: z.string(),
  html_url: z.string(),
  user,
  author_association: text,
  submitted_at: text,
  commit_id: text,
  body: text,
});

export const REVIEW_COMMENT_SHAPE = z.object({
  id: z.number(),
  pull_request_review_id: count,
  in_reply_to_id: count,
  path: text,
  line: count,
  side: text,
  position: count,
  commit_id: text,
  html_url: z.string(),
  user,
  author_association: text,
  created_at: text,
  updated_at: text,
  diff_hunk: text,
  body: text,
});

export const MERGE_SHAPE = z.object({ sha: z.string(), merged: z.boolean(), message: z.string() });

export const COMMIT_SHAPE = z.object({
  sha: z.string(),
  html_url: z.string(),
  author: user,
  committer: user,
  commit: z.object({ author: person, committer: person, message: z.string(), comment_count: count }),
  parents: z.array(z.object({ sha: z.string() })).nullish(),
});

const GIT_COMMIT_SHAPE = z.object({
  sha: z.string(),
  html_url: text,
  author: person,
  committer: person,
  message: text,
});

export const REF_SHAPE = z.object({
  ref: z.string(),
  object: z.object({ sha: z.string(), type: z.string() }),
});

const entry = {
  type: z.string(),
  name: z.string(),
  path: z.string(),
  sha: z.string(),
  size: z.number(),
  html_url: text,
};
export const DIRECTORY_ENTRY_SHAPE = z.object(entry);
export const FILE_SHAPE = z.object({ ...entry, encoding: text, content: text, target: text, submodule_git_url: text });
export const FILE_COMMIT_SHAPE = z.object({ content: z.object(entry).nullish(), commit: GIT_COMMIT_SHAPE });

export const FOUND_CODE_SHAPE = z.object({
  name: z.string(),
  path: z.string(),
  sha: z.string(),
  html_url: z.string(),
  repository: z.object({ full_name: z.string(), html_url: text, private: flag, description: text }),
  score: count,
});

export const FOUND_USER_SHAPE = z.object({
  login: z.string(),
  id: z.number(),
  html_url: z.string(),
  avatar_url: text,
  type: text,
  score: count,
});
